"""JSON schemas that servers can enforce, made from pydantic models, and their short forms in words.

Not responsible for checking replies: pydantic does that with the models themselves.
"""

from typing import Any

from pydantic import BaseModel, TypeAdapter

_DROPPED = frozenset(
    {"title", "default", "description", "discriminator", "examples"}
    | {"minLength", "maxLength", "pattern", "minimum", "maximum", "exclusiveMinimum"}
    | {"exclusiveMaximum", "minItems", "maxItems", "uniqueItems", "multipleOf", "format"}
)


def wire_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of `model` in the subset that strict decoders share.

    All fields of an object are required there. So that a reply need not spell out defaults, an
    object with optional fields becomes a choice between its short form and its full form.
    """
    schema = model.model_json_schema(by_alias=True)
    definitions = schema.pop("$defs", {})
    result: dict[str, Any] = _strict(schema, definitions)
    return result


def _strict(schema: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_strict(part, definitions) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _strict(definitions[schema["$ref"].rsplit("/", 1)[-1]], definitions)
    if schema.get("type") == "object" and "properties" in schema:
        return _strict_object(schema, definitions)
    kept: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ("oneOf", "anyOf"):
            kept["anyOf"] = _flat_choices(_strict(value, definitions))
        elif key == "const":
            kept["enum"] = [value]
        elif key == "prefixItems":  # pairs, in lists of one kind of text
            kept["items"] = _strict(value[0], definitions)
        elif key not in _DROPPED:
            kept.setdefault(key, _strict(value, definitions))
    return kept


def _flat_choices(choices: list[Any]) -> list[Any]:
    flat: list[Any] = []
    for choice in choices:
        flat += choice["anyOf"] if set(choice) == {"anyOf"} else [choice]
    return flat


def _strict_object(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    properties = {name: _strict(value, definitions) for name, value in schema["properties"].items()}
    constants = {name for name, value in schema["properties"].items() if "const" in value}
    needed = [n for n in properties if n in constants or n in schema.get("required", ())]
    forms = [needed] if len(needed) == len(properties) else [needed, list(properties)]
    objects = [
        {
            "type": "object",
            "properties": {name: properties[name] for name in names},
            "required": names,
            "additionalProperties": False,
        }
        for names in forms
    ]
    return objects[0] if len(objects) == 1 else {"anyOf": objects}


def describe_union(union: TypeAdapter[Any], names: tuple[str, ...]) -> str:
    """Return one line for each member of a tagged `union` in `names`: its fields and meaning.

    Written into prompts, so that what a prompt offers is what the records take.
    """
    definitions = union.json_schema()["$defs"]
    by_tag = {value["properties"]["type"]["const"]: value for value in definitions.values()
              if "const" in value.get("properties", {}).get("type", {})}  # fmt: skip
    return "\n".join(_describe(by_tag[name]) for name in names)


def _describe(schema: dict[str, Any]) -> str:
    required = schema.get("required", ())
    shown, optional = [], []
    for name, value in schema["properties"].items():
        if "const" in value:
            shown.append(f'"{name}": "{value["const"]}"')
        elif name in required:
            shown.append(f'"{name}": {_describe_type(value)}')
        else:
            optional.append(f"{name}: {_describe_type(value)}")
    line = f"- {{{', '.join(shown)}}} {schema.get('description', '').split(chr(10))[0]}"
    return line + (f" Optional: {'; '.join(optional)}." if optional else "")


def _describe_type(value: dict[str, Any]) -> str:
    if "enum" in value:
        return "|".join(map(str, value["enum"]))
    if "anyOf" in value:
        kinds = [_describe_type(part) for part in value["anyOf"] if part.get("type") != "null"]
        return "|".join(kinds)
    if value.get("type") == "array":
        inner = value.get("items") or (value.get("prefixItems") or [{}])[0]
        return f"[{_describe_type(inner)}, …]" if inner else "[…]"
    name = str(value.get("type", "…"))
    return {"string": "text", "integer": "number", "boolean": "true|false"}.get(name, name)
