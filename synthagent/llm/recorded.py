"""`calls.sqlite`: every request of a run and every reply, stored before it is used.

Not responsible for sending nor for reading replies; only for never paying for one twice.
"""

import json
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NewType

from synthagent.errors import DataError
from synthagent.llm.body import Tokens
from synthagent.llm.messages import Call

RowId = NewType("RowId", int)

SCHEMA = """
CREATE TABLE IF NOT EXISTS requests (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL, item TEXT NOT NULL, stage TEXT NOT NULL,
    model TEXT NOT NULL, endpoint TEXT NOT NULL, request_hash TEXT NOT NULL,
    number INTEGER NOT NULL, images INTEGER NOT NULL, sent_at REAL NOT NULL,
    seconds REAL, status INTEGER, fault TEXT, note TEXT, reply TEXT, served_model TEXT,
    prompt_tokens INTEGER NOT NULL DEFAULT 0, cached_tokens INTEGER NOT NULL DEFAULT 0,
    completion_tokens INTEGER NOT NULL DEFAULT 0, reasoning_tokens INTEGER NOT NULL DEFAULT 0,
    estimated INTEGER NOT NULL DEFAULT 0, usd REAL);
CREATE INDEX IF NOT EXISTS requests_by_key ON requests (key);
CREATE INDEX IF NOT EXISTS requests_by_item ON requests (item);
CREATE TABLE IF NOT EXISTS prompts (request_hash TEXT PRIMARY KEY, messages BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS abilities (
    endpoint TEXT, model TEXT, abilities TEXT NOT NULL, PRIMARY KEY (endpoint, model));
"""
VERSION = 1


@dataclass(frozen=True, slots=True)
class StoredReply:
    """A reply that was paid for."""

    key: str
    raw: str
    tokens: Tokens
    replayed: bool = False
    """It was read from the file, nothing was sent."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Sums over requests."""

    requests: int = 0
    replies: int = 0
    retries: int = 0
    """Requests beyond the first for the same key."""
    unsettled: int = 0
    """Requests whose end is not known: in flight, or cut off by a kill or a timeout."""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    images: int = 0
    estimated: int = 0
    """Replies whose tokens the server did not tell."""
    unpriced: int = 0
    known_usd: float = 0.0
    seconds: float = 0.0

    @property
    def usd(self) -> float | None:
        """Return the cost; None when the price of any reply is not known."""
        return None if self.unpriced else self.known_usd

    @property
    def tokens(self) -> int:
        """Return all tokens that were paid for."""
        return self.prompt_tokens + self.completion_tokens


_SUMS = """count(*), count(reply), count(*) - count(DISTINCT key),
    sum(status IS NULL), sum(prompt_tokens), sum(cached_tokens), sum(completion_tokens),
    sum(reasoning_tokens), sum(CASE WHEN reply IS NULL THEN 0 ELSE images END), sum(estimated),
    sum(reply IS NOT NULL AND usd IS NULL), sum(coalesce(usd, 0)), sum(coalesce(seconds, 0))"""


class CallStore:
    """One open `calls.sqlite`; every method commits before it returns."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Iterator["CallStore"]:
        """Open or create the file at `path`.

        Raises:
            DataError: it is not such a file, or of a newer version.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, isolation_level=None, timeout=10)
        try:
            _prepare(connection, path)
            yield cls(connection)
        finally:
            connection.close()

    def reply(self, key: str) -> StoredReply | None:
        """Return the stored reply for `key`."""
        row = self._connection.execute(
            "SELECT reply, prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens,"
            " estimated FROM requests WHERE key = ? AND reply IS NOT NULL ORDER BY id LIMIT 1",
            (key,),
        ).fetchone()
        if row is None:
            return None
        raw, prompt, cached, completion, reasoning, estimated = row
        return StoredReply(
            key, raw, Tokens(prompt, cached, completion, reasoning, bool(estimated)), replayed=True
        )

    def begin(self, call: Call, endpoint: str) -> RowId:
        """Note a request that is about to be sent."""
        messages = json.dumps([message.stored() for message in call.messages])
        with self._transaction() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO prompts VALUES (?, ?)",
                (call.request_hash, zlib.compress(messages.encode())),
            )
            cursor = connection.execute(
                "INSERT INTO requests (key, item, stage, model, endpoint, request_hash, number,"
                " images, sent_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(call.key, call.item, call.stage, call.model, endpoint),
                    *(call.request_hash, call.number, call.images, time.time()),
                ),
            )
        return RowId(cursor.lastrowid or 0)

    def settle(
        self, row: RowId, *, raw: str, tokens: Tokens, usd: float | None, seconds: float,
        served_model: str,
    ) -> None:  # fmt: skip
        """Store the reply to the request `row`, on the disk itself before this returns."""
        # A request that is only noted outlives a kill without that; a reply has been paid for, so
        # it must outlive a power cut, too.
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute(
            "UPDATE requests SET status = 200, reply = ?, prompt_tokens = ?, cached_tokens = ?,"
            " completion_tokens = ?, reasoning_tokens = ?, estimated = ?, usd = ?, seconds = ?,"
            " served_model = ? WHERE id = ?",
            (
                *(raw, tokens.prompt, tokens.cached, tokens.completion, tokens.reasoning),
                *(tokens.estimated, usd, seconds, served_model, row),
            ),
        )
        self._connection.execute("PRAGMA synchronous = NORMAL")

    def fail(
        self, row: RowId, *, kind: str, note: str, status: int | None, tokens: Tokens,
        usd: float | None, seconds: float,
    ) -> None:  # fmt: skip
        """Store that the request `row` gave no reply; `status` is None when none came back."""
        self._connection.execute(
            "UPDATE requests SET status = ?, fault = ?, note = ?, prompt_tokens = ?,"
            " completion_tokens = ?, usd = ?, seconds = ? WHERE id = ?",
            (status, kind, note[:2000], tokens.prompt, tokens.completion, usd, seconds, row),
        )

    def abilities(self, endpoint: str, model: str) -> str | None:
        """Return what was learned about a server."""
        row = self._connection.execute(
            "SELECT abilities FROM abilities WHERE endpoint = ? AND model = ?", (endpoint, model)
        ).fetchone()
        return row[0] if row else None

    def learn(self, endpoint: str, model: str, abilities: str) -> None:
        """Remember what was learned about a server."""
        self._connection.execute(
            "INSERT OR REPLACE INTO abilities VALUES (?, ?, ?)", (endpoint, model, abilities)
        )

    def spent(self, *, item: str | None = None, keys: Iterable[str] | None = None) -> Spent:
        """Return the sums of all requests, of one item, or of some keys."""
        where: str = ""
        values: tuple[str, ...] = ()
        if item is not None:
            where, values = " WHERE item = ?", (item,)
        elif keys is not None:
            where = " WHERE key IN (SELECT value FROM json_each(?))"
            values = (json.dumps(list(keys)),)
        row = self._connection.execute(f"SELECT {_SUMS} FROM requests{where}", values).fetchone()
        return Spent(*(value or 0 for value in row))

    def spent_by(self, column: str) -> dict[str, Spent]:
        """Return the sums by `stage`, `model`, `item`, `endpoint` or `served_model`."""
        if column not in ("stage", "model", "item", "endpoint", "served_model"):
            raise ValueError(f"cannot group costs by {column!r}")
        rows = self._connection.execute(
            f"SELECT coalesce({column}, ''), {_SUMS} FROM requests GROUP BY 1 ORDER BY 1"
        )
        return {name: Spent(*(value or 0 for value in sums)) for name, *sums in rows}

    def prompt(self, request_hash: str) -> list[dict[str, Any]]:
        """Return the messages of a stored request, pictures as hashes."""
        row = self._connection.execute(
            "SELECT messages FROM prompts WHERE request_hash = ?", (request_hash,)
        ).fetchone()
        if row is None:
            raise DataError(f"no request {request_hash!r} is stored")
        messages: list[dict[str, Any]] = json.loads(zlib.decompress(row[0]))
        return messages

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        self._connection.execute("BEGIN IMMEDIATE")
        with self._connection:
            yield self._connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version not in (0, VERSION):
            raise DataError(f"{path} is of version {version}, this program reads {VERSION}")
        connection.executescript(SCHEMA)
        connection.execute(f"PRAGMA user_version = {VERSION}")
    except sqlite3.DatabaseError as error:
        raise DataError(f"{path} is not a store of model calls: {error}") from error
