"""Makes any record from its own field types, so that a new field is tested without a new test."""

import types
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, MaxLen, MinLen
from hypothesis import strategies as st
from pydantic import BaseModel

MODELS: dict[type[BaseModel], st.SearchStrategy[Any]] = {}


def instances(model: type[BaseModel]) -> st.SearchStrategy[Any]:
    """Return valid instances of `model`; fields with a default are left out at times."""
    if model not in MODELS:
        MODELS[model] = st.deferred(lambda: _fields(model))
    return MODELS[model]


def _fields(model: type[BaseModel]) -> st.SearchStrategy[Any]:
    needed, optional = {}, {}
    for name, field in model.model_fields.items():
        group = needed if field.is_required() else optional
        group[field.alias or name] = values(field.annotation, tuple(field.metadata))
    return st.fixed_dictionaries(needed, optional=optional).map(model.model_validate)


def values(kind: Any, limits: tuple[Any, ...] = ()) -> st.SearchStrategy[Any]:
    """Return values of the type `kind` within the limits that its field states."""
    origin = get_origin(kind)
    if origin is Annotated:
        inner, *more = get_args(kind)
        return values(inner, (*limits, *more, *_inside(more)))
    if origin is Literal:
        return st.sampled_from(get_args(kind))
    if origin in (Union, types.UnionType):
        return st.one_of([values(one) for one in get_args(kind)])
    if origin is tuple:
        return _tuples(get_args(kind), limits)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return instances(kind)
    return _plain(getattr(kind, "__supertype__", kind), limits)


def _inside(metadata: list[Any]) -> list[Any]:
    return [limit for one in metadata for limit in getattr(one, "metadata", ())]


def _limit(limits: tuple[Any, ...], kind: type, name: str) -> Any:
    return next((getattr(limit, name) for limit in limits if isinstance(limit, kind)), None)


def _tuples(kinds: tuple[Any, ...], limits: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        least = _limit(limits, MinLen, "min_length") or 0
        return st.lists(values(kinds[0]), min_size=least, max_size=least + 1).map(tuple)
    return st.tuples(*map(values, kinds))


def _plain(kind: Any, limits: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    least = _limit(limits, Ge, "ge")
    above, most = _limit(limits, Gt, "gt"), _limit(limits, Le, "le")
    if kind is str:
        patterns = [limit.pattern for limit in limits if getattr(limit, "pattern", None)]
        if patterns:
            return st.from_regex(patterns[0], fullmatch=True).map(str.strip)
        short, long = _limit(limits, MinLen, "min_length"), _limit(limits, MaxLen, "max_length")
        return st.text(min_size=short or 0, max_size=min(long or 12, 12))
    if kind is bool:
        return st.booleans()
    if kind is int:
        return st.integers(least if least is not None else -(2**63), most or 2**63 - 1)
    if kind is float:
        low = least if least is not None else above
        open_end = least is None and above is not None
        return st.floats(low, most, allow_nan=False, allow_infinity=False, exclude_min=open_end)
    if kind is type(None):
        return st.none()
    raise TypeError(f"no values for {kind!r}")
