"""A site as a table, for tests of the frontier: what each page offers and where it leads."""

import hashlib
from dataclasses import dataclass, field

from synthagent.explore.frontier import Frontier
from synthagent.explore.places import Item, Opening, Survey, Trial
from synthagent.records import (
    Click,
    Fingerprint,
    Node,
    Observation,
    Outcome,
    Page,
    Provenance,
    Request,
    Transition,
)
from synthagent.teachers.protocol import Candidate

ORIGIN = "http://a.test"
MADE = Provenance(stage="explore", code_version="1", teacher="scripted", config_hash="c", seed=0)


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Control:
    name: str
    to: str
    """Path it leads to; a control without address when `posts` or `opens` is set."""
    category: str = "link"
    posts: bool = False
    opens: bool = False


@dataclass
class Sketch:
    """Pages by path. The kind of a page is its path with digits left out."""

    pages: dict[str, tuple[Control, ...]]
    done: list[str] = field(default_factory=list)
    """What was tried: `role path name`."""
    surveyed: list[str] = field(default_factory=list)

    def page(self, path: str) -> Page:
        nodes = tuple(
            Node(
                depth=0,
                role="button" if control.posts or control.opens else "link",
                name=control.name,
                ref=str(number),
                href=None if control.posts or control.opens else ORIGIN + control.to,
                form=f"1 POST {control.to}" if control.posts else None,
                fingerprint=Fingerprint(role="link", name=control.name, tag="a"),
            )
            for number, control in enumerate(self.pages[path], start=1)
        )
        kind = sha("".join(char for char in path if not char.isdigit()))
        url = ORIGIN + path.partition("#")[0]
        return Page(
            url=url, title=path, nodes=nodes, content_hash=sha(path), view_hash=sha(path),
            structure_key=kind,
        )  # fmt: skip

    def look(self, path: str) -> Observation:
        page = self.page(path)
        return Observation(
            url=page.url, title=path, text=path, content_hash=page.content_hash,
            view_hash=page.view_hash, structure_key=page.structure_key, page=sha(path),
        )  # fmt: skip

    def candidates(self, path: str) -> tuple[Candidate, ...]:
        return tuple(
            Candidate(control.category, node, Click(ref=node.ref or ""))
            for control, node in zip(self.pages[path], self.page(path).elements, strict=True)
        )

    def tell(self, frontier: Frontier, item: Item) -> None:
        """Give the frontier what doing `item` comes to."""
        match item:
            case Opening(_, url):
                path = url.removeprefix(ORIGIN)
                frontier.opened(item, self.look(path), self.page(path))
            case Survey(place):
                self.surveyed.append(f"{place.role} {place.seen.title}")
                path = place.seen.title
                frontier.surveyed(item, self.page(path), self.candidates(path))
            case Trial():
                frontier.tried(item, *self._try(item))

    def _try(self, item: Trial) -> tuple[Transition, Page, Page]:
        path, name = item.place.seen.title, item.candidate.element.name
        control = next(one for one in self.pages[path] if one.name == name)
        self.done.append(f"{item.place.role} {path} {name}")
        after = self.look(control.to)
        sent = Request(method="POST", url=ORIGIN + control.to, status=302)
        outcome = Outcome(
            status="ok",
            changed=True,
            navigated=not control.opens,
            http_status=None if control.opens else 200,
            requests=(sent,) if control.posts else (),
            url=after.url,
        )
        transition = Transition(
            id=item.id, created_by=MADE, site="a", role=item.place.role, category=control.category,
            path=item.path, before=item.place.seen, action=item.candidate.action,
            target=item.candidate.element.fingerprint, outcome=outcome, after=after,
        )  # fmt: skip
        return transition, self.page(path), self.page(control.to)
