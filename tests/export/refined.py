"""Refined trajectories for the tests of the export, with whatever a test wants in them."""

from synthagent.records import (
    Action,
    ActionError,
    Answer,
    Click,
    Fingerprint,
    Observation,
    Outcome,
    Provenance,
    RefinedTrajectory,
    ReplayReport,
    Step,
    Task,
    TaskVersion,
    TypeText,
    Verdict,
    content_id,
)

ORIGIN = Provenance(
    stage="refine", code_version="0.1.0", teacher="grounded", config_hash="c" * 16, seed=0
)


def look(url: str = "http://shop.test/", text: str = '[1] link "Settings"') -> Observation:
    return Observation(
        url=url,
        title="Shop",
        text=text,
        content_hash="0" * 64,
        view_hash="1" * 64,
        structure_key="2" * 64,
        page="3" * 64,
    )


def step(
    action: Action,
    *,
    url: str = "http://shop.test/",
    text: str = '[1] link "Settings"',
    instruction: str = "",
    outcome: Outcome | None = None,
    reasoning: str = "It leads on.",
) -> Step:
    return Step(
        observation=look(url, text),
        reasoning=reasoning,
        instruction=instruction,
        action=action,
        target=Fingerprint(role="link", name="Settings", tag="a"),
        outcome=outcome or Outcome(status="ok", changed=True),
    )


def refined(
    *steps: Step,
    intents: tuple[str, ...] = ("Turn on the digest",),
    start_url: str = "http://shop.test/",
    name: str = "a",
) -> RefinedTrajectory:
    task = Task(
        id=content_id("task", name),
        created_by=ORIGIN,
        site="shop",
        role="customer",
        type="modification",
        category="form",
        start_url=start_url,
        evidence=(),
        versions=tuple(TaskVersion(intent=intent) for intent in intents),
    )
    return RefinedTrajectory(
        id=content_id("refined", name),
        created_by=ORIGIN,
        task=task,
        steps=steps,
        final=look(),
        verdict=Verdict(passed=True, judge="check", reason="saved"),
        score=90,
        decision="keep",
        replay=ReplayReport(label="replayed"),
    )


def shopping(name: str = "a") -> RefinedTrajectory:
    """A walk of five steps: one of them failed, the last is the answer."""
    refused = Outcome(
        status="rejected", error=ActionError(kind="covered", message="A dialog covers it.")
    )
    return refined(
        step(Click(ref="1"), instruction='Click the link "Settings"'),
        step(TypeText(ref="f1.2", text="café\u2028\n\"x\""), url="http://shop.test/settings"),
        step(Click(ref="9"), url="about:blank", text="", outcome=refused),
        step(Click(ref="9", count=2), url="http://shop.test/settings", text='[9] button "Save"'),
        step(Answer(text="17.50"), url="http://shop.test/saved", text="Saved"),
        intents=("Turn on the daily digest", "Turn on the weekly digest"),
        name=name,
    )  # fmt: skip
