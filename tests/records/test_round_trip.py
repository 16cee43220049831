"""Every record: through JSON and back, frozen, closed to unknown fields, its ids stable."""

import json
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

import synthagent.records
from synthagent.records import ACTION, Page, Record, Task, canonical_json, content_id
from synthagent.records.frozen import Frozen
from tests.records.strategies import instances, values

KINDS = sorted(
    {
        kind
        for kind in vars(synthagent.records).values()
        if isinstance(kind, type) and issubclass(kind, Frozen) and kind not in (Frozen, Record)
    },
    key=lambda kind: kind.__name__,
)
SMALL = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
FEW = settings(SMALL, max_examples=3)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@SMALL
@given(data=st.data())
def test_a_record_is_the_same_after_json(kind, data):
    record = data.draw(instances(kind))
    line = record.to_json()
    assert "\n" not in line
    again = kind.model_validate_json(line.encode())
    assert again == record
    assert again.to_json() == line
    assert again.with_() == record


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@FEW
@given(data=st.data())
def test_a_record_cannot_be_changed_nor_given_unknown_fields(kind, data):
    record = data.draw(instances(kind))
    name = next(iter(kind.model_fields))
    with pytest.raises(ValidationError, match="frozen"):
        setattr(record, name, None)
    with pytest.raises(ValidationError, match="Extra inputs"):
        kind.model_validate(json.loads(record.to_json()) | {"colour": "red"})


def test_every_stored_record_names_its_schema():
    stored = [kind for kind in KINDS if issubclass(kind, Record)]
    names = {kind.model_fields["schema_"].default for kind in stored}
    assert len(stored) == len(names) == 5
    assert all(name.startswith("synthagent/") and name.endswith("@1") for name in names)
    assert all(kind.model_fields["schema_"].alias == "schema" for kind in stored)


@SMALL
@given(values(ACTION._type))
def test_an_action_is_told_apart_by_its_type_alone(action):
    assert ACTION.validate_json(ACTION.dump_json(action)) == action
    assert TypeAdapter(type(action)).validate_python(action.model_dump()) == action


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@SMALL
@given(st.lists(JSON, max_size=3))
def test_equal_parts_have_equal_ids_whatever_the_order_of_keys(parts):
    turned = json.loads(json.dumps(parts), object_pairs_hook=lambda pairs: dict(reversed(pairs)))
    assert content_id(*turned) == content_id(*parts)
    assert content_id(*parts, "more") != content_id(*parts)


def test_ids_do_not_change_between_versions():
    """Stored runs refer to records by these; a new value here orphans them."""
    assert content_id("explore", {"b": 1, "a": "café"}, None) == "0bda11e582d76039"
    assert canonical_json({"b": [1, 2.5], "a": "café\u2028"}) == '{"a":"café\u2028","b":[1,2.5]}'


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_json_cannot_hold_is_refused(number):
    with pytest.raises(ValidationError):
        synthagent.records.Usage(seconds=number)


@pytest.mark.parametrize(
    ("text", "stored"), [("a\ud83d", "a\ufffd"), ("\udc00b", "\ufffdb"), ("\ud83d\ude00", "😀")]
)
def test_half_a_surrogate_pair_never_keeps_a_record_from_being_stored(text, stored):
    nested = synthagent.records.Select(ref="1", options=(text, "café"))
    again = synthagent.records.Select.model_validate_json(nested.to_json().encode())
    assert again.options == (stored, "café")
    assert content_id(text) == content_id(text)


@SMALL
@given(instances(Task), instances(Task))
def test_a_rewritten_task_keeps_its_id_and_all_its_wordings(task, other):
    again = task.rewritten(other.current)
    assert (again.id, again.versions) == (task.id, (*task.versions, other.current))
    assert again.intent == other.intent


@SMALL
@given(instances(Page))
def test_what_a_page_works_out_is_not_stored(page):
    before = page.to_json()
    assert set(page.by_ref) == {node.ref for node in page.elements}
    assert page.to_json() == before
