"""What an agent is asked to do, how it is checked, and how the wording changed on the way.

A task keeps every version of itself; the last one is in force.
"""

from typing import Annotated, Literal

from pydantic import Field

from synthagent.records.actions import ConflictKind
from synthagent.records.frozen import Frozen, Record, RecordId
from synthagent.records.page import Fingerprint

TaskType = Literal["information", "navigation", "modification"]


class Fact(Frozen):
    """A place on a page where a value can be read, independent of its present value."""

    kind: Literal["label", "cell", "heading", "count"]
    """`label`: the value beside `label`. `cell`: row `row`, column `label` of a table.
    `heading`: the main heading. `count`: the number that `label` (`# results`) announces."""
    label: str = ""
    row: str = ""
    path: str = ""
    """Path of the page that shows it; empty for the page where the task ends."""


class AnswerEquals(Frozen):
    """The answer is `expected`; numbers and money are compared as such."""

    type: Literal["answer_equals"] = "answer_equals"
    expected: str
    kind: Literal["text", "number", "money"] = "text"


class AnswerShown(Frozen):
    """The answer is what the last page shows for `fact`; where the value was not known before."""

    type: Literal["answer_shown"] = "answer_shown"
    fact: Fact


class UrlMatches(Frozen):
    """The last page has this path and at least these query values."""

    type: Literal["url_matches"] = "url_matches"
    path: str
    """`*` stands for one segment."""
    query: tuple[tuple[str, str], ...] = ()


class PageShows(Frozen):
    """The last page shows all of `texts` (case and spaces aside), in text, names or values."""

    type: Literal["page_shows"] = "page_shows"
    texts: tuple[str, ...] = Field(min_length=1)


class RequestSent(Frozen):
    """A request was sent with this method, path and at least these fields, and was not refused."""

    type: Literal["request_sent"] = "request_sent"
    method: str = "POST"
    path: str
    """`*` stands for one segment."""
    fields: tuple[tuple[str, str], ...] = ()
    redirected: bool | None = None
    """True: the site must have answered with a redirect, as forms do that were accepted."""


class AllOf(Frozen):
    """All of `checks` hold."""

    type: Literal["all_of"] = "all_of"
    checks: tuple["TaskCheck", ...] = Field(min_length=1)


TaskCheck = Annotated[
    AnswerEquals | AnswerShown | UrlMatches | PageShows | RequestSent | AllOf,
    Field(discriminator="type"),
]
AllOf.model_rebuild()


class PlanStep(Frozen):
    """One step that a grounded task is expected to take; the target is found by fingerprint."""

    verb: Literal["click", "type", "select", "check", "goto"]
    target: Fingerprint | None = None
    value: str | None = None
    """Text to type, option to choose, address to open, `on`/`off` for a check."""
    instruction: str
    """The step in words: `Click the link "Orders"`."""
    submit: bool = False
    """Press Enter after typing."""


class Plan(Frozen):
    """The expected path of a grounded task, and the fact that answers it."""

    steps: tuple[PlanStep, ...]
    fact: Fact | None = None


class Conflict(Frozen):
    """Evidence that a task, as worded, and the site disagree (SynthAgent, arXiv 2511.06101)."""

    kind: ConflictKind
    evidence: str
    step: int = Field(ge=0)
    """Index of the step before which it was noticed."""
    url: str


class TaskVersion(Frozen):
    """One wording of a task, with the check that fits it."""

    intent: str = Field(min_length=1)
    check: TaskCheck | None = None
    plan: Plan | None = None
    conflict: Conflict | None = None
    """What led to this version; empty for the first."""
    rule: Literal["concrete", "align", "scale_down"] | None = None
    """Which rewriting rule made it."""


class Task(Record):
    """A task for one site and one role; the id is that of the first version."""

    schema_: Literal["synthagent/task@1"] = Field("synthagent/task@1", alias="schema")
    site: str
    role: str
    """Account the session is logged in as; `anonymous` for none."""
    type: TaskType
    category: str
    """Functional category of the control it was proposed from."""
    start_url: str
    evidence: tuple[RecordId, ...]
    """Transitions that show that the site can do this."""
    versions: tuple[TaskVersion, ...] = Field(min_length=1)

    @property
    def current(self) -> TaskVersion:
        """Return the version in force."""
        return self.versions[-1]

    @property
    def intent(self) -> str:
        """Return the wording in force."""
        return self.versions[-1].intent

    def rewritten(self, version: TaskVersion) -> "Task":
        """Return the same task with one more version."""
        return self.with_(versions=(*self.versions, version))
