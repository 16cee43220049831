"""Records in words, as the prompts show them to a model.

Not responsible for pages: their text form comes with the observation.
"""

from collections.abc import Sequence

from synthagent.prompting import cut_text
from synthagent.records import (
    Action,
    Check,
    Fingerprint,
    Goto,
    Outcome,
    Page,
    Press,
    Request,
    Scroll,
    Select,
    Step,
    TypeText,
)


def describe_action(action: Action, target: Fingerprint | None) -> str:
    """Return an action in words: `Click the link "Orders"`."""
    what = f'the {target.role} "{target.name}"' if target else "the page"
    match action:
        case TypeText():
            words = f'Type "{action.text}" into {what}' + " and press Enter" * action.submit
        case Select():
            words = f'Choose "{", ".join(action.options)}" in {what}'
        case Check():
            words = f"{'Check' if action.on else 'Uncheck'} {what}"
        case Press():
            words = f"Press {action.keys} on {what}"
        case Scroll():
            words = f"Scroll {action.direction} in {what}"
        case Goto():
            words = f"Open {action.url}"
        case _:
            verb = action.type.replace("_", " ").capitalize()
            words = f"{verb} {what}" if target else verb
    return words


def describe_outcome(outcome: Outcome) -> str:
    """Return what an action did, in a few words."""
    if outcome.error is not None:
        return f"{outcome.status}: {outcome.error.message}"
    parts = [f"opened {outcome.url}"] if outcome.navigated else []
    parts += [f"sent {request.method} {request.url}" for request in outcome.requests[:3]]
    parts += [f"dialog {d.message!r}: {d.answer}" for d in outcome.dialogs]
    parts += [f"blocked {request}" for request in outcome.blocked[:2]]
    if not parts:
        parts = ["the page changed" if outcome.changed else "no visible change"]
    return "; ".join(parts)


def describe_steps(steps: Sequence[Step], *, reasons: bool = False) -> list[str]:
    """Return one line a step, numbered from 0."""
    lines = []
    for index, step in enumerate(steps):
        why = f" ({cut_text(step.reasoning, 60)})" if reasons and step.reasoning else ""
        words = step.instruction or describe_action(step.action, step.target)
        lines.append(f"{index}. {words}{why} -> {describe_outcome(step.outcome)}")
    return lines


def describe_requests(requests: Sequence[Request]) -> str:
    """Return state-changing requests on one line each."""
    lines = []
    for request in requests:
        fields = " ".join(f"{name}={value}" for name, value in request.fields)
        lines.append(f"{request.method} {request.url} {fields}".strip())
    return "\n".join(lines) or "none"


def describe_tabs(page: Page) -> str:
    """Return the open tabs, or nothing when there is only one."""
    if len(page.tabs) < 2:
        return ""
    return " | ".join(
        f"{index}{' (active)' * tab.active}: {tab.title or tab.url}"
        for index, tab in enumerate(page.tabs)
    )
