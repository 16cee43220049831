"""Builds small trajectories for tests of refinement."""

from synthagent.records import (
    Action,
    Answer,
    Click,
    Fingerprint,
    Observation,
    Outcome,
    Provenance,
    Step,
    Task,
    TaskVersion,
    Trajectory,
    Verdict,
)

ZERO = "0" * 64
MADE = Provenance(stage="collect", code_version="1", teacher="scripted", config_hash="c", seed=0)
SEEN = Observation(
    url="http://a.test/",
    title="A",
    text="",
    content_hash=ZERO,
    view_hash=ZERO,
    structure_key=ZERO,
    page=ZERO,
)


def step(name: str, *, reasoning: str = "It leads on.", action: Action | None = None) -> Step:
    return Step(
        observation=SEEN,
        reasoning=reasoning,
        instruction=f'Click the link "{name}"' if action is None else name,
        action=action or Click(ref="1"),
        target=Fingerprint(role="link", name=name, tag="a"),
        outcome=Outcome(status="ok", changed=True),
    )


def answer(text: str, **more: str) -> Step:
    return step(f'Answer "{text}"', action=Answer(text=text), **more)


def trajectory(*steps: Step, end: str = "completed", passed: bool | None = True) -> Trajectory:
    task = Task(
        id="1" * 16,
        created_by=MADE,
        site="a",
        role="anonymous",
        type="information",
        category="link",
        start_url="http://a.test/",
        evidence=(),
        versions=(TaskVersion(intent="Tell me the name of the shop"),),
    )
    last = steps[-1].action if steps else None
    return Trajectory(
        id="2" * 16,
        created_by=MADE,
        task=task,
        attempt=0,
        steps=steps,
        final=SEEN,
        end=end,
        answer=last.text if isinstance(last, Answer) else None,
        verdict=Verdict(passed=passed, judge="check", reason="as the check says"),
    )
