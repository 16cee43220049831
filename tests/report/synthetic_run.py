"""A run as the stages would leave it: real logs, real blobs, pictures drawn here.

Not a sample of what the pipeline produces; it has every case that the report must show.
"""

import random
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageDraw

from synthagent.config import RunConfig
from synthagent.journal import RunDirectory
from synthagent.records import (
    AllOf,
    Answer,
    AnswerEquals,
    Box,
    Click,
    Conflict,
    Fingerprint,
    Goto,
    Node,
    Observation,
    Outcome,
    Page,
    PageShows,
    PathStep,
    Provenance,
    RefinedTrajectory,
    ReplayReport,
    Request,
    RequestSent,
    Review,
    Step,
    Task,
    TaskVersion,
    Trajectory,
    Transition,
    TypeText,
    UrlMatches,
    Usage,
    Verdict,
    content_id,
)

SITE = "http://shop.test"
PROVENANCE = Provenance(
    stage="collect", code_version="0", teacher="grounded", config_hash="0" * 16, seed=0
)
KINDS = (
    ("/", "Oscar", "anonymous"),
    ("/catalogue/", "All products", "anonymous"),
    ("/catalogue/category/books/{}/", "Books", "anonymous"),
    ("/catalogue/the-{}/", "The {} | Oscar", "anonymous"),
    ("/catalogue/the-{}/reviews/", "Reviews of {}", "anonymous"),
    ("/search/?q=lamp", "Search for lamp", "anonymous"),
    ("/basket/", "Basket", "customer"),
    ("/checkout/shipping-address/", "Shipping address", "customer"),
    ("/checkout/preview/", "Order preview", "customer"),
    ("/accounts/", "Profile", "customer"),
    ("/accounts/orders/", "Order history", "customer"),
    ("/accounts/orders/{}/", "Order {}", "customer"),
    ("/accounts/addresses/", "Address book", "customer"),
    ("/accounts/addresses/add/", "Add an address", "customer"),
    ("/dashboard/", "Dashboard", "staff"),
    ("/dashboard/orders/", "Orders", "staff"),
    ("/dashboard/orders/{}/", "Order {}", "staff"),
    ("/dashboard/catalogue/", "Products", "staff"),
    ("/dashboard/catalogue/products/{}/", "Edit a product with a rather long title", "staff"),
    ("/dashboard/vouchers/", "Vouchers", "staff"),
    ("/dashboard/vouchers/create/", "Create a voucher", "staff"),
    ("/dashboard/users/", "Customers", "staff"),
    ("/dashboard/reports/", "Reports", "staff"),
)


@dataclass(frozen=True, slots=True)
class Wish:
    """What the run should hold."""

    kinds: int = len(KINDS)
    transitions: int = 120
    trajectories: int = 60
    text: str = ""
    """Put into every field that a site or a model can fill."""
    pictures: bool = True


class RunBuilder:
    """Fills a run directory."""

    def __init__(self, directory: RunDirectory, wish: Wish) -> None:
        self.directory = directory
        self.wish = wish
        self.random = random.Random(7)
        self.looks = [
            [self._look(kind, variant) for variant in range(2)] for kind in range(wish.kinds)
        ]

    def fill(self) -> None:
        """Write all logs."""
        for number in range(self.wish.transitions):
            self.directory.transitions.append(self._transition(number))
        transitions = list(self.directory.transitions)
        for number in range(self.wish.trajectories):
            task = self._task(number, transitions)
            self.directory.tasks.append(task.with_(versions=task.versions[:1]))
            self._attempt(number, task)

    def _text(self, text: str) -> str:
        return f"{text} {self.wish.text}".strip()

    def _look(self, kind: int, variant: int) -> Observation:
        path, title, _ = KINDS[kind % len(KINDS)]
        part = kind // len(KINDS)
        url = SITE + path.format(("lamp", "chair")[variant]) + (f"part-{part}/" if part else "")
        title = self._text(title.format(("Lamp", "Chair")[variant]))
        names = ["Home", "Search", "Basket", f"Item {variant}", *(f"Do {n}" for n in range(kind))]
        nodes = tuple(
            Node(
                depth=0,
                role="link",
                name=name,
                ref=str(place),
                box=Box(x=60 + place % 4 * 290, y=120 + place // 4 * 90, width=180, height=40),
                fingerprint=Fingerprint(role="link", name=self._text(name), tag="a"),
            )
            for place, name in enumerate(names)
        )
        page = Page(
            url=url,
            title=title,
            nodes=nodes,
            content_hash=f"{kind:032x}{variant:032x}",
            view_hash=f"{kind:032x}{variant:032x}",
            structure_key=f"{kind:064x}",
        )
        shot = self._draw(title, nodes, kind) if self.wish.pictures else None
        blobs = self.directory.blobs
        return Observation(
            url=url,
            title=title,
            text=self._text(f"{title}\n" + "\n".join(f'[{n.ref}] link "{n.name}"' for n in nodes)),
            content_hash=page.content_hash,
            view_hash=page.view_hash,
            structure_key=page.structure_key,
            page=blobs.put_page(page),
            screenshot=blobs.put(shot, ".webp") if shot else None,
        )

    def _draw(self, title: str, nodes: tuple[Node, ...], kind: int) -> bytes:
        image = Image.new("RGB", (1280, 720), (250, 250, 252))
        draw = ImageDraw.Draw(image)
        draw.rectangle((0, 0, 1280, 64), fill=(36 + kind * 7 % 90, 52, 96))
        draw.text((40, 18), title[:60], fill="white", font_size=26)
        for node in nodes:
            box = node.box
            assert box is not None
            corners = (box.x, box.y, box.x + box.width, box.y + box.height)
            draw.rounded_rectangle(corners, 8, fill=(232, 238, 248))
            draw.text((box.x + 14, box.y + 8), node.name, fill=(30, 40, 60), font_size=18)
        buffer = BytesIO()
        image.save(buffer, "WEBP", quality=80)
        return buffer.getvalue()

    def _transition(self, number: int) -> Transition:
        kinds = self.wish.kinds
        target = number % kinds if number < kinds else self.random.randrange(kinds)
        source = 0 if target < 4 else self._parent(target)
        if number >= kinds and number % 3 == 0:
            source = self.random.randrange(kinds)
        before, after = self.looks[source][number % 2], self.looks[target][number // 2 % 2]
        ref = str(number % (4 + source))
        fingerprint = self.directory.blobs.get_page(before.page).by_ref[ref].fingerprint
        start = PathStep(action=Goto(url=SITE + "/"))
        return Transition(
            id=content_id("transition", number),
            created_by=PROVENANCE,
            site="shop",
            role=KINDS[target % len(KINDS)][2],
            category=self._text("navigation"),
            path=(start,) if source == 0 else (start, PathStep(action=Click(ref="1"))),
            before=before,
            action=Click(ref=ref),
            target=fingerprint,
            outcome=Outcome(status="ok", changed=True, navigated=True, url=after.url),
            after=after,
        )

    def _parent(self, kind: int) -> int:
        path = KINDS[kind % len(KINDS)][0]
        roots = {"/dashboard": 14, "/accounts": 9, "/checkout": 6, "/catalogue": 1}
        root = next((root for start, root in roots.items() if path.startswith(start)), 0)
        return 0 if root == kind else root

    def _task(self, number: int, transitions: list[Transition]) -> Task:
        kind = ("information", "navigation", "modification")[number % 3]
        intent = self._text(f"Task {number}: put 3 of the blue lamp into the basket, say the sum")
        checks = {
            "information": AnswerEquals(expected=self._text("£12.99"), kind="money"),
            "navigation": UrlMatches(path="/accounts/orders/*/"),
            "modification": AllOf(
                checks=(
                    RequestSent(path="/basket/add/*/", fields=(("quantity", self._text("3")),)),
                    PageShows(texts=(self._text("Basket total"),)),
                )
            ),
        }
        first = TaskVersion(intent=intent, check=checks[kind])
        versions = [first]
        if number % 6 == 0:
            conflict = Conflict(
                kind=("missing_control", "missing_argument", "stall")[number // 6 % 3],
                evidence=self._text("the page offers Green, Red"),
                step=1,
                url=self._text(SITE + "/catalogue/the-lamp/"),
            )
            text = intent.replace("blue lamp", "green lamp").replace("3 of", "2 of")
            rule = ("align", "concrete", "scale_down")[number // 6 % 3]
            versions.append(first.with_(intent=text, conflict=conflict, rule=rule))
        return Task(
            id=content_id("task", number),
            created_by=PROVENANCE,
            site="shop",
            role=KINDS[number % len(KINDS)][2],
            type=kind,
            category=self._text("basket"),
            start_url=self._text(SITE + "/"),
            evidence=(transitions[number % len(transitions)].id,),
            versions=tuple(versions),
        )

    def _steps(self, number: int, task: Task) -> tuple[Step, ...]:
        steps = []
        for place in range(1 + (number * 5) % 9):
            look = self.looks[(number + place * 3) % self.wish.kinds][place % 2]
            ref = str((number + place) % 4)
            name = self._text("Add to basket")
            action = Click(ref=ref) if place % 3 else TypeText(ref=ref, text=self._text("lamp"))
            outcome = Outcome(status="ok", changed=True, navigated=True, url=self._text(look.url))
            if place % 3 == 0:
                sent = Request(method="POST", url=self._text(SITE + "/basket/add/4/"))
                outcome = Outcome(status="ok", changed=True, requests=(sent,), typed_value="lamp")
            steps.append(
                Step(
                    observation=look,
                    reasoning=self._text("The lamp is what the task asks for."),
                    instruction=self._text(f'Click the link "{name}"'),
                    action=action,
                    target=Fingerprint(role="link", name=name, tag="a"),
                    outcome=outcome,
                    version=min(place, len(task.versions) - 1),
                )
            )
        answer = Answer(text=self._text("£12.99"))
        last = Step(
            observation=self.looks[number % self.wish.kinds][0],
            reasoning=self._text("The sum shows."),
            instruction=self._text("Answer"),
            action=answer,
            outcome=Outcome(status="ok"),
            version=len(task.versions) - 1,
        )
        return (*steps, last)

    def _attempt(self, number: int, task: Task) -> None:
        end = {7: "out_of_steps", 11: "infeasible", 13: "infrastructure"}.get(number % 20)
        conflict = task.current.conflict
        good = end is None
        trajectory = Trajectory(
            id=content_id("trajectory", number),
            parents=(task.id,),
            created_by=PROVENANCE,
            task=task,
            attempt=0,
            steps=self._steps(number, task),
            final=self.looks[number % self.wish.kinds][1],
            end=end or "completed",
            answer=self._text("£12.99"),
            verdict=Verdict(passed=good, judge="check", reason=self._text("all parts hold")),
            conflicts=(conflict,) if conflict else (),
            error=self._text("BrowserError: page crashed") if end == "infrastructure" else None,
            usage=Usage(seconds=4.0),
        )
        self.directory.trajectories.append(trajectory)
        if end == "infrastructure":
            return
        drifted = good and number % 9 == 8
        label = "drifted" if drifted else "replayed" if good else "not replayed"
        review = Review(
            id=content_id("review", number),
            parents=(trajectory.id,),
            created_by=PROVENANCE,
            trajectory=trajectory.id,
            decision="keep" if good else "drop",
            score=90 if good else 20,
            reason=self._text("does what it says" if good else "does not reach its goal"),
            replay=ReplayReport(label=label, reason=self._text("why"), seconds=2.5),
        )
        self.directory.reviews.append(review)
        if label == "replayed":
            self.directory.refined.append(
                RefinedTrajectory(
                    id=content_id("refined", number),
                    parents=(trajectory.id, review.id),
                    created_by=PROVENANCE,
                    **{
                        name: getattr(trajectory, name)
                        for name in ("task", "steps", "final", "answer", "verdict", "conflicts")
                    },
                    score=90,
                    decision="keep",
                    replay=review.replay,
                )
            )


def build_run(path: Path, wish: Wish | None = None) -> RunDirectory:
    """Return a run directory at `path` with what `wish` asks for."""
    directory = RunDirectory.open(path, RunConfig(site="shop"))
    RunBuilder(directory, wish or Wish()).fill()
    return directory
