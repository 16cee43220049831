import pytest

from synthagent.errors import ConfigError
from synthagent.records import (
    AllOf,
    AnswerShown,
    Click,
    Conflict,
    Fact,
    Infeasible,
    Observation,
    Outcome,
    PageShows,
    Plan,
    Provenance,
    Request,
    RequestSent,
    Step,
    Task,
    TaskVersion,
    Trajectory,
    TypeText,
    Verdict,
    content_id,
)
from synthagent.teachers.grounded import GroundedTeacher
from synthagent.teachers.grounded.categories import categorize, fields_to_fill
from synthagent.teachers.grounded.forms import forms_of
from synthagent.teachers.grounded.messages import complaints, confirmations, fixed_part
from synthagent.teachers.grounded.proposing import select_step, type_step
from synthagent.teachers.grounded.routes import click_step
from synthagent.teachers.protocol import Sight
from tests.teachers.pages import node, page, sha, table

MADE = Provenance(stage="propose", code_version="0", teacher="grounded", config_hash="x", seed=0)
BUY = "1 POST /basket/add/7/"
QUANTITY = node("spinbutton", "Quantity", ref="4", form=BUY, field="quantity", value="1")
ADD = node("button", "Add to basket", ref="5", form=BUY, input_type="submit")
NOTIFY_FORM = "2 POST /alerts/add/7/"
NOTIFY = node("button", "Notify me", ref="6", form=NOTIFY_FORM, input_type="submit")
ITEM = page("/item/7/", node("heading", "Kettle", level=1), QUANTITY, ADD)
SOLD_OUT = page(
    "/item/8/",
    node("heading", "Lamp", level=1),
    NOTIFY,
    *table(("UPC", "LO-8"), ("Availability", "Unavailable")),
)


def observation(path="/item/7/", text="Kettle"):
    return Observation(
        url=f"http://site.test{path}",
        title="Site",
        text=text,
        content_hash=sha(path),
        view_hash=sha(path),
        structure_key=sha(path),
        page=sha(path),
    )


def step(action, target=None, *, version=0, requests=(), status="ok", changed=True, text="Kettle"):
    outcome = Outcome(status=status, changed=changed, requests=requests)
    return Step(
        observation=observation(text=text),
        reasoning="r",
        instruction="i",
        action=action,
        target=target.fingerprint if target is not None else None,
        outcome=outcome,
        version=version,
    )


def task(plan, *, kind="modification", intent='On "Kettle", choose "Add to basket".', check=None):
    version = TaskVersion(intent=intent, plan=plan, check=check)
    return Task(
        id=content_id(intent),
        created_by=MADE,
        site="s",
        role="customer",
        type=kind,
        category="form: basket add",
        start_url="http://site.test/",
        evidence=(),
        versions=(version,),
    )


async def decide(a_task, a_page, history=()):
    return (await GroundedTeacher(0).decide("i", a_task, Sight(a_page, ""), history)).action


async def rewrite(a_task, a_page, history, kind, evidence):
    conflict = Conflict(kind=kind, evidence=evidence, step=len(history), url=a_page.url)
    return await GroundedTeacher(0).rewrite("i", a_task, Sight(a_page, ""), history, conflict)


def test_controls_are_sorted_by_what_they_do():
    shop = page(
        "/",
        node("searchbox", "Search", ref="1", form="1 GET /search/", field="q", landmark="search"),
        node("button", "Go", ref="2", form="1 GET /search/", landmark="search"),
        node("link", "Lamps", ref="3", href="http://site.test/lamps/", landmark="navigation"),
        node("link", "Orders", ref="4", href="http://site.test/orders/", landmark="navigation"),
        *(
            node("link", f"Lamp {n}", ref=f"{4 + n}", href=f"http://site.test/item/{n}/")
            for n in (1, 2, 3)
        ),
        node("link", "2", ref="8", href="http://site.test/?page=2"),
        node("button", "Buy", ref="9", form="2 POST /basket/add/1/"),
        node("button", "More", ref="10", states=("collapsed",)),
        node("button", "Off", ref="11", states=("disabled",)),
    )
    from random import Random

    found = [(c.category, c.element.ref) for c in categorize(shop, Random(0))]
    assert ("search", "1") in found
    assert {c for c in found if c[0] != "search"} == {
        ("navigation", "3"),
        ("account", "4"),
        ("listing: item", "5"),
        ("listing: item", "6"),
        ("listing: item", "7"),
        ("pagination", "8"),
        ("form: basket add", "9"),
        ("menu", "10"),
    }


def test_only_required_fields_are_filled_when_some_are_marked():
    key = "1 POST /address/"
    form = forms_of(
        page(
            "/",
            node("textbox", "Street", ref="1", form=key, states=("required",)),
            node("textbox", "Floor", ref="2", form=key),
            node("textbox", "City", ref="3", form=key, value="Salem", states=("required",)),
            node("button", "Save", ref="4", form=key),
        )
    )[0]
    assert [field.label for field in fields_to_fill(form)] == ["Street"]


def test_forms_that_ask_for_a_password_are_left_alone():
    from random import Random

    login = page(
        "/",
        node("textbox", "Password", ref="1", form="1 POST /in/", input_type="password"),
        node("button", "Log in", ref="2", form="1 POST /in/"),
    )
    assert categorize(login, Random(0)) == ()


@pytest.mark.parametrize(
    ("text", "complains", "confirms"),
    [
        ("This field is required.", True, False),
        ("Due to technical limitations we cannot ship more than 5", True, False),
        ("Kettle has been added to your basket.", False, True),
        ("Thank you for reviewing this product", False, True),
        ("Related products", False, False),
    ],
)
def test_messages(text, complains, confirms):
    shown = page("/", node("text", text))
    assert bool(complaints(shown, "Kettle")) is complains
    assert bool(confirmations(shown, "Kettle")) is confirms
    assert complaints(shown, text) == () == confirmations(shown, text)


def test_the_fixed_part_of_a_message_leaves_names_and_numbers_out():
    message = "Kettle has been added to your basket 3 times."
    assert fixed_part(message, ("Kettle",)) == "has been added to your basket"
    assert fixed_part("Kettle!", ("Kettle",)) is None


async def test_a_plan_is_followed_to_its_end():
    plan = Plan(steps=(type_step(QUANTITY, "3"), click_step(ADD)))
    first = await decide(task(plan), ITEM)
    assert first == TypeText(ref="4", text="3")
    done = [step(first, QUANTITY)]
    second = await decide(task(plan), ITEM, done)
    assert second == Click(ref="5")
    added = page("/item/7/", node("text", "Kettle has been added to your basket."))
    sent = (Request(method="POST", url="http://site.test/basket/add/7/", status=302),)
    end = await decide(task(plan), added, [*done, step(second, ADD, requests=sent)])
    assert end.type == "answer"


async def test_a_control_that_is_not_there_is_a_conflict_and_the_task_is_aligned():
    plan = Plan(steps=(click_step(ADD),))
    said = await decide(task(plan), SOLD_OUT)
    assert isinstance(said, Infeasible)
    assert said.kind == "missing_control"
    assert "Add to basket" in said.evidence
    assert "Notify me" in said.evidence
    version = await rewrite(task(plan), SOLD_OUT, [], said.kind, said.evidence)
    assert version.rule == "align"
    assert '"Notify me"' in version.intent
    assert '"Lamp"' in version.intent
    assert version.check == RequestSent(path="/alerts/add/7/", redirected=True)
    assert version.plan.steps[0].target == NOTIFY.fingerprint


async def test_a_fact_that_is_not_shown_is_replaced_by_one_that_is():
    fact = Fact(kind="label", label="Warranty")
    asked = task(
        Plan(steps=(), fact=fact),
        kind="information",
        intent='What is the "Warranty"?',
        check=AnswerShown(fact=fact),
    )
    said = await decide(asked, SOLD_OUT)
    assert said.kind == "missing_control"
    assert "Availability" in said.evidence
    version = await rewrite(asked, SOLD_OUT, [], said.kind, said.evidence)
    assert version.plan.fact.label in {"UPC", "Availability"}
    assert version.plan.fact.label in version.intent
    mended = asked.rewritten(version)
    answer = await decide(mended, SOLD_OUT)
    assert answer.text == version.check.expected


async def test_a_required_field_without_a_value_is_a_missing_argument_and_made_concrete():
    key = "1 POST /reviews/add/"
    title = node("textbox", "Title", ref="1", form=key, field="title", states=("required",))
    body = node("textbox", "Body", ref="2", form=key, field="body", states=("required",))
    save = node("button", "Save review", ref="3", form=key)
    form = page(
        "/reviews/add/",
        node("heading", "Write a review", level=1),
        title.with_(value="Fine"),
        body,
        save,
    )
    check = AllOf(
        checks=(
            RequestSent(path="/reviews/add/", fields=(("title", "Fine"),)),
            PageShows(texts=("thank you",)),
        )
    )
    asked = task(
        Plan(steps=(type_step(title, "Fine"), click_step(save))),
        check=check,
        intent='On "Write a review", enter Title "Fine" and choose "Save review".',
    )
    history = [step(TypeText(ref="1", text="Fine"), title)]
    said = await decide(asked, form, history)
    assert (said.kind, '"Body"' in said.evidence) == ("missing_argument", True)
    version = await rewrite(asked, form, history, said.kind, said.evidence)
    assert version.rule == "concrete"
    assert version.intent.startswith('On "Write a review", enter Title "Fine"')
    assert 'Body "' in version.intent
    sent = version.check.checks[0]
    assert dict(sent.fields)["title"] == "Fine"
    assert dict(sent.fields)["body"] in version.intent
    assert [s.verb for s in version.plan.steps] == ["type", "click"]


async def test_an_amount_that_the_site_refuses_is_scaled_down_to_what_it_takes():
    intent = 'On "Kettle", enter Quantity "30" and choose "Add to basket".'
    check = RequestSent(path="/basket/add/7/", fields=(("quantity", "30"),))
    asked = task(
        Plan(steps=(type_step(QUANTITY, "30"), click_step(ADD))), intent=intent, check=check
    )
    sent = (Request(method="POST", url="http://site.test/basket/add/7/", status=302),)
    history = [
        step(TypeText(ref="4", text="30"), QUANTITY),
        step(Click(ref="5"), ADD, requests=sent),
    ]
    refused = page(
        "/item/7/",
        node("heading", "Kettle", level=1),
        node("text", "a maximum of 5 can be bought"),
        QUANTITY,
        ADD,
    )
    said = await decide(asked, refused, history)
    assert said.kind == "missing_argument"
    assert "maximum of 5" in said.evidence
    version = await rewrite(asked, refused, history, said.kind, said.evidence)
    assert version.rule == "scale_down"
    assert version.intent == 'On "Kettle", enter Quantity "5" and choose "Add to basket".'
    assert version.check.fields == (("quantity", "5"),)


async def test_a_value_that_the_site_refuses_is_replaced_by_one_that_fits_what_it_said():
    key = "1 POST /address/"
    code = node(
        "textbox",
        "Post/Zip-code",
        ref="1",
        form=key,
        field="postcode",
        value="45402",
        states=("invalid", "required"),
    )
    save = node("button", "Save", ref="2", form=key)
    intent = 'On "Address", enter Post/Zip-code "45402" and choose "Save".'
    check = RequestSent(path="/address/", fields=(("postcode", "45402"),), redirected=True)
    asked = task(
        Plan(steps=(type_step(code, "45402"), click_step(save))), intent=intent, check=check
    )
    sent = (Request(method="POST", url="http://site.test/address/", status=200),)
    history = [
        step(TypeText(ref="1", text="45402"), code),
        step(Click(ref="2"), save, requests=sent),
    ]
    refused = page(
        "/address/",
        node("heading", "Address", level=1),
        node("text", "The postcode '45402' is not valid for Canada"),
        code,
        save,
    )
    said = await decide(asked, refused, history)
    version = await rewrite(asked, refused, history, said.kind, said.evidence)
    assert version.rule == "align"
    assert '"45402"' not in version.intent
    assert version.check.fields[0][1] in {"K1A 0B1", "V6B 4Y8"}
    assert version.check.fields[0][1] in version.intent


async def test_an_option_named_loosely_becomes_one_that_the_list_has():
    sort = node(
        "combobox",
        "Sort by",
        ref="1",
        value="Newest",
        options=("Newest", "Price high to low", "Price low to high"),
        options_total=3,
    )
    shown = page("/list/", node("heading", "Lamps", level=1), sort)
    asked = task(
        Plan(steps=(select_step(sort, "Price"),)),
        kind="navigation",
        intent='On the page "Lamps", set "Sort by" to "Price".',
        check=PageShows(texts=("Price",)),
    )
    said = await decide(asked, shown)
    assert said.kind == "missing_argument"
    assert "Price high to low" in said.evidence
    version = await rewrite(asked, shown, [], said.kind, said.evidence)
    assert version.rule == "concrete"
    option = version.plan.steps[0].value
    assert option.startswith("Price ")
    assert version.intent == f'On the page "Lamps", set "Sort by" to "{option}".'
    assert version.check == PageShows(texts=(option,))


async def test_a_field_that_the_item_lacks_is_left_out_of_the_task():
    engraving = node("textbox", "Engraving", ref="3", form=BUY, field="engraving")
    intent = 'On "Kettle", enter Engraving "Hi" and Quantity "2" and choose "Add to basket".'
    check = RequestSent(path="/basket/add/7/", fields=(("engraving", "Hi"), ("quantity", "2")))
    plan = Plan(steps=(type_step(engraving, "Hi"), type_step(QUANTITY, "2"), click_step(ADD)))
    asked = task(plan, intent=intent, check=check)
    said = await decide(asked, ITEM)
    assert said.kind == "missing_control"
    version = await rewrite(asked, ITEM, [], said.kind, said.evidence)
    assert version.rule == "scale_down"
    assert "Engraving" not in version.intent
    assert 'Quantity "2"' in version.intent
    assert version.check.fields == (("quantity", "2"),)
    assert [s.target.name for s in version.plan.steps] == ["Quantity", "Add to basket"]


async def test_nothing_is_made_up_when_the_page_offers_nothing():
    empty = page("/item/9/", node("heading", "Chair", level=1))
    asked = task(Plan(steps=(click_step(ADD),)))
    assert await rewrite(asked, empty, [], "missing_control", "no button") is None


async def test_a_task_without_a_plan_is_refused_with_the_way_out():
    with pytest.raises(ConfigError, match="--teacher llm"):
        await decide(task(None), ITEM)


def trajectory(*steps, end="completed", passed=True, versions=1):
    done = task(Plan(steps=()))
    for _ in range(versions - 1):
        done = done.rewritten(TaskVersion(intent="again"))
    return Trajectory(
        id=content_id("t"),
        created_by=MADE,
        task=done,
        attempt=0,
        steps=steps,
        final=observation(),
        end=end,
        verdict=Verdict(passed=passed, judge="check", reason="r"),
    )


SEND = (Request(method="POST", url="http://site.test/basket/add/7/", status=302),)


@pytest.mark.parametrize(
    ("made", "decision", "removed"),
    [
        pytest.param(trajectory(step(Click(ref="1"), ADD)), "keep", [], id="sound"),
        pytest.param(trajectory(step(Click(ref="1"), ADD), passed=False), "drop", [], id="failed"),
        pytest.param(
            trajectory(step(Click(ref="1"), ADD), end="out_of_steps"), "drop", [], id="unfinished"
        ),
        pytest.param(
            trajectory(step(Click(ref="1"), ADD), step(Click(ref="2"), NOTIFY, changed=False)),
            "edit",
            [1],
            id="a click without effect",
        ),
        pytest.param(
            trajectory(step(Click(ref="1"), ADD), step(Click(ref="2"), NOTIFY, status="rejected")),
            "edit",
            [1],
            id="an action that was not carried out",
        ),
        pytest.param(
            trajectory(
                step(TypeText(ref="4", text="30"), QUANTITY),
                step(Click(ref="5"), ADD, requests=SEND),
                step(TypeText(ref="4", text="5"), QUANTITY, version=1),
                step(Click(ref="5"), ADD, version=1, requests=SEND),
                versions=2,
            ),
            "edit",
            [0, 1],
            id="a value that was refused and replaced",
        ),
    ],
)
async def test_reviews(made, decision, removed):
    opinion = await GroundedTeacher(0).review("i", made, {})
    assert opinion.decision == decision
    assert [edit.index for edit in opinion.edits] == removed
