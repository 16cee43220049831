"""What every record is made of: frozen models, content hashes, provenance.

Not responsible for storage; see `journal.py` and `blobs.py`.
"""

import hashlib
import json
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import PydanticSerializationError

Sha = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
"""SHA-256 in lower-case hex; also the key of a blob."""

RecordId = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
"""First 16 hex digits of the hash of what went into the record."""

StageName = Literal["explore", "propose", "collect", "refine", "export"]


def canonical_json(value: Any) -> str:
    """Return JSON with sorted keys and no spaces, equal for equal values."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def content_id(*parts: Any) -> str:
    """Return the 16-digit record id of JSON-able `parts`."""
    content = canonical_json(parts).encode(errors="surrogatepass")
    return hashlib.sha256(content).hexdigest()[:16]


class Frozen(BaseModel):
    """Immutable model that refuses unknown fields."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        populate_by_name=True,
        allow_inf_nan=False,  # JSON has no such numbers; they would be written as null
    )

    def with_(self, **changes: Any) -> Self:
        """Return a validated copy with `changes` applied."""
        values = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self).model_validate(values | changes)

    def to_json(self) -> str:
        """Return one line of JSON, without a newline inside.

        Half a surrogate pair, which the scripts of a page can make and UTF-8 cannot hold, becomes
        the replacement character.
        """
        try:
            return self.model_dump_json(by_alias=True)
        except PydanticSerializationError:
            values = self.model_dump(mode="json", by_alias=True)
            text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
            return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class Provenance(Frozen):
    """Where a record comes from; equal provenance and equal inputs give the equal record."""

    stage: StageName
    code_version: str
    teacher: str
    """`grounded`, or the name of the model."""
    config_hash: str
    seed: int
    prompt_hash: str | None = None


class Record(Frozen):
    """A stored record: one line of a run's JSONL file."""

    id: RecordId
    parents: tuple[RecordId, ...] = ()
    created_by: Provenance
