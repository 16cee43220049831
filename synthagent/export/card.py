"""The data card of an export: what is in it, where it comes from, what to mind.

Not a report on the run; see `report/`.
"""

from collections import Counter
from collections.abc import Iterable

from synthagent.export.dataset import ExportReport
from synthagent.records import RefinedTrajectory


def write_card(name: str, refined: Iterable[RefinedTrajectory], report: ExportReport) -> str:
    """Return the card of the run `name` as Markdown; the same for the same records."""
    tallies: dict[str, Counter[str]] = {
        title: Counter()
        for title in (
            "site",
            "task type",
            "role",
            "teacher",
            "code version",
            "replay",
            "decision",
            "steps",
        )
    }
    for item in refined:
        values = (
            item.task.site,
            item.task.type,
            item.task.role,
            item.created_by.teacher,
            item.created_by.code_version,
            item.replay.label,
            item.decision,
            _length(len(item.steps)),
        )
        for tally, value in zip(tallies.values(), values, strict=True):
            tally[value] += 1
    rows = [f"| {title} | {_list(tally)} |" for title, tally in tallies.items()]
    left_out = [f"- {count} steps left out: {reason}." for reason, count in report.skipped]
    if report.damaged:
        left_out.append(f"- {report.damaged} damaged lines of `refined.jsonl` could not be read.")
    return TEMPLATE.format(
        name=name,
        trajectories=report.trajectories,
        rows=report.rows,
        table="\n".join(rows),
        left_out="\n".join(left_out) or "- Nothing was left out.",
    )


TEMPLATE = """# Data card: {name}

{rows} rows of {trajectories} trajectories: one row is one step of a web agent, from what it saw to
what it did. Made by `synthagent`; every trajectory was reviewed and done again from a reset site.

| | trajectories |
|---|---|
{table}

## Files

- `messages.jsonl`: OpenAI-style chat, `messages` of system, user, assistant.
- `prompt_completion.jsonl`: the same rows as `prompt` and `completion`, for a loss on the answer
  alone whatever the chat template.

The answer is strict JSON: `reasoning`, `instruction`, `action`. `trajectory` and `step` say where a
row belongs, so that trajectories can be put together again. Texts that trainers take for markup
(`<image>`, `<|…|>`) are escaped.

## What to mind

{left_out}
- Text only: screenshots lie in the `blobs/` of the run and are not part of these files.
- Split by `task`, not by row: rows of one task are alike.
- Rows quote pages of the site, so the licence and the terms of its content hold for them; see the
  site's folder in `environments/`. With an LLM teacher, so do the terms of the model.
"""


def _length(steps: int) -> str:
    return str(steps) if steps < 10 else "10 or more"


def _list(tally: Counter[str]) -> str:
    return ", ".join(f"{value} {count}" for value, count in sorted(tally.items())) or "none"
