"""One model at one endpoint: requests are paced, retried by the kind of failure, metered, stored.

Not responsible for what the reply says; see `structured.py`.
"""

import asyncio
import os
import random
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

import openai
from openai import AsyncOpenAI

from synthagent.config import ModelConfig
from synthagent.errors import ConfigError, ModelAccessDenied, ModelRefused, ModelUnavailable
from synthagent.llm.abilities import Abilities
from synthagent.llm.body import Tokens, read_body
from synthagent.llm.faults import (
    FINAL,
    TRANSIENT,
    ContextOverflow,
    Fault,
    RequestRejected,
    find_fault,
)
from synthagent.llm.ledger import Ledger, Limits, price_table
from synthagent.llm.messages import IMAGE_TOKENS, Call
from synthagent.llm.pace import Pace
from synthagent.llm.recorded import CallStore, StoredReply
from synthagent.prompting import clean_text, estimate_tokens

DEFAULT_URL = "https://api.openai.com/v1"


class Patience(NamedTuple):
    """How long a failing server is borne with."""

    retries: int = 5
    """After an overload, a timeout or a lost connection."""
    first_seconds: float = 0.5
    most_seconds: float = 30.0
    rate_limit_seconds: float = 900.0
    """Spent on waiting for a rate limit, in one call."""


@dataclass(frozen=True, slots=True)
class Manners:
    """How a client behaves towards server and user, apart from the settings of the model."""

    patience: Patience = field(default_factory=Patience)
    seed: int = 0
    """Of the jitter between retries."""
    note: Callable[[str], None] = lambda _: None
    """Told what a person should know, each thing once."""
    offline: bool = False
    """Send nothing; a call that is not stored is an error."""


class _Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    text: str


class ModelClient:
    """Sends calls to one model. Use `ModelClient.open`; belongs to the event loop it is opened in.

    Endpoint and key come from the settings; `ledger` knows what was spent.
    """

    def __init__(
        self,
        config: ModelConfig,
        server: AsyncOpenAI,
        store: CallStore,
        ledger: Ledger,
        manners: Manners,
    ) -> None:
        if not config.name:
            raise ConfigError("model.name is not set; give the model that the server should use")
        self.model = config.name
        self.config = config
        self.ledger = ledger
        self.endpoint = str(server.base_url).rstrip("/")
        self._server = server
        self._store = store
        self._manners = manners
        self._noted: set[str] = set()
        self._pace = Pace(config.concurrency)
        self._loop = asyncio.get_running_loop()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._first = asyncio.Lock()
        known = store.abilities(self.endpoint, self.model)
        self._known = known is not None
        self.abilities = Abilities.from_json(known) if known else Abilities.assumed(self.endpoint)

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        config: ModelConfig,
        calls_path: Path,
        *,
        seed: int = 0,
        note: Callable[[str], None] = lambda _: None,
        patience: Patience = Patience(),  # noqa: B008 -- immutable
        environ: Mapping[str, str] = os.environ,
        offline: bool = False,
    ) -> "AsyncIterator[ModelClient]":
        """Open the store of calls and a connection pool to the server of `config`.

        Args:
            config: Model, endpoint, limits.
            calls_path: `calls.sqlite` of the run.
            seed: Of the jitter between retries.
            note: Told what a person should know, each thing once.
            patience: How long a failing server is borne with.
            environ: Holds the key, under the name that the settings give.
            offline: Send nothing; a call that is not stored is an error.

        Raises:
            ConfigError: no model is named, or money is limited and the price is not known.
            ModelAccessDenied: the server needs a key and none is there.
        """
        url = config.base_url or environ.get("OPENAI_BASE_URL") or DEFAULT_URL
        key = environ.get(config.api_key_env, "")
        if not key and not offline and (urlsplit(url).hostname or "").endswith("openai.com"):
            raise ModelAccessDenied(
                f"{config.api_key_env} is not set, and {url} needs a key: export it, or set"
                " model.base_url to a server of your own"
            )
        limits = Limits(usd=config.max_usd, calls=config.max_calls, tokens=config.max_total_tokens)
        server = AsyncOpenAI(
            base_url=url, api_key=key or "none", max_retries=0, timeout=config.timeout_seconds
        )
        with CallStore.open(calls_path) as store:
            ledger = Ledger(store, price_table(environ), limits)
            async with server:
                client = cls(config, server, store, ledger, Manners(patience, seed, note, offline))
                ledger.require_price(client.model)
                yield client

    async def complete(self, call: Call) -> StoredReply:
        """Return the reply to `call`: the stored one, or a new one that is stored by then.

        Raises:
            ModelAccessDenied: key, quota, model or address are wrong; nothing but the user helps.
            ModelUnavailable: the server failed for longer than is borne with.
            ModelRefused: the server's filter does not let the request pass.
            ContextOverflow: the messages are too long for the server.
            RequestRejected: the server does not take the request for another reason.
            BudgetExceeded: a limit was reached before.
        """
        if asyncio.get_running_loop() is not self._loop:
            raise RuntimeError("a ModelClient works in the event loop that it was opened in only")
        lock = self._locks.setdefault(call.key, asyncio.Lock())
        async with lock:
            stored = self._store.reply(call.key)
            if stored is not None:
                return stored
            if self._manners.offline:
                raise ModelUnavailable(
                    f"offline: no reply is stored for {call.stage} of {call.item} ({call.key})"
                )
            if self._known:
                return await self._persist(call)
            # One call alone finds out what the server takes, so that not all of the first ones
            # are turned down for the same parameter.
            async with self._first:
                return await self._persist(call)

    def warn(self, message: str) -> None:
        """Tell the user `message`, once a run."""
        if message not in self._noted:
            self._noted.add(message)
            self._manners.note(message)

    def learn(self, abilities: Abilities) -> None:
        """Remember what the server can do, for this run and its continuation."""
        self.abilities = abilities
        self._store.learn(self.endpoint, self.model, abilities.to_json())

    async def _persist(self, call: Call) -> StoredReply:
        """Send `call` until it is answered, or the failure is not of the passing kind."""
        tries, failures, waited = 0, 0, 0.0
        while True:
            abilities = self.abilities
            outcome = await self._send(call, abilities)
            if isinstance(outcome, StoredReply):
                if not self._known:
                    self._known = True
                    self.learn(self.abilities)
                return outcome
            if outcome.kind == "unsupported":
                self._adapt(outcome, abilities)
                continue
            if outcome.kind not in TRANSIENT:
                raise self._error(outcome)
            delay = self._delay(call, tries, outcome)
            tries += 1
            if outcome.kind == "rate_limit":
                waited += delay
            else:
                failures += 1
            if (
                failures > self._manners.patience.retries
                or waited > self._manners.patience.rate_limit_seconds
            ):
                raise self._error(outcome)
            await asyncio.sleep(delay)

    async def _send(self, call: Call, abilities: Abilities) -> StoredReply | Fault:
        async with self._pace.slot() as started:
            self.ledger.admit()
            row = self._store.begin(call, self.endpoint)
            answer = await self._post(call, abilities)
            seconds = time.monotonic() - started
            tokens = Tokens()
            if isinstance(answer, Fault):
                fault: Fault | None = answer
            else:
                fault, tokens = self._read(call, abilities, answer)
            if fault is None:
                assert isinstance(answer, _Answer)
                self._pace.passed()
                return self._settle(row, call, answer, tokens, seconds)
            if fault.kind in ("rate_limit", "overload"):
                self._pace.refused(started, fault.retry_after, rate=fault.kind == "rate_limit")
            usd = self.ledger.price(call.model, tokens) if tokens.total else 0.0
            self._store.fail(
                row, kind=fault.kind, note=fault.message, status=fault.status, tokens=tokens,
                usd=usd, seconds=seconds,
            )  # fmt: skip
            self.ledger.add(tokens, usd)
            return fault

    async def _post(self, call: Call, abilities: Abilities) -> _Answer | Fault:
        """Send one HTTP request; the answer may have any status."""
        create: Any = self._server.chat.completions.with_raw_response.create
        limit = self.config.timeout_seconds
        try:
            async with asyncio.timeout(limit):
                reply = await create(
                    **abilities.wire(call), extra_headers={"Idempotency-Key": call.key}
                )
        except openai.APIStatusError as error:
            response = error.response
            return _Answer(response.status_code, _lower(response.headers), _decode(response))
        except (TimeoutError, openai.APITimeoutError):
            return Fault("timeout", f"no reply within {limit:g} s")
        except openai.APIConnectionError as error:
            return Fault("connection", f"{error.message} {error.__cause__ or ''}".strip())
        response = reply.http_response
        return _Answer(response.status_code, _lower(response.headers), _decode(response))

    def _read(
        self, call: Call, abilities: Abilities, answer: _Answer
    ) -> tuple[Fault | None, Tokens]:
        """Return what is wrong with an answer, if anything, and what it was metered at."""
        if answer.status >= 400:
            sent = abilities.parameters(call)
            return find_fault(answer.status, answer.headers, answer.text, sent), Tokens()
        body = read_body(answer.text)
        if body.kind == "web_page":
            message = f"a web page came back in place of a reply: {body.error[:100]!r}"
            return Fault("unknown_model", message, answer.status), Tokens()
        if body.kind == "error":
            code = body.error_code if body.error_code and body.error_code >= 400 else 503
            fault = find_fault(code, answer.headers, body.error, abilities.parameters(call))
            return replace(fault, status=answer.status), body.tokens or Tokens()
        return None, body.tokens or _estimate(call, answer.text)

    def _settle(
        self, row: Any, call: Call, answer: _Answer, tokens: Tokens, seconds: float
    ) -> StoredReply:
        served = read_body(answer.text).served_model
        usd = self.ledger.price(call.model, tokens)
        if usd is None:
            shown = call.model if served in ("", call.model) else f"{call.model} ({served})"
            self.warn(f"the price of {shown} is not known: its calls are counted, not priced")
        self._store.settle(
            row, raw=answer.text, tokens=tokens, usd=usd, seconds=seconds, served_model=served
        )
        self.ledger.add(tokens, usd)
        return StoredReply(call.key, answer.text, tokens)

    def _adapt(self, fault: Fault, tried: Abilities) -> None:
        """Change what is sent; `tried` is what was sent, as others may have learned since."""
        if self.abilities != tried:
            return
        lesser = tried.without(fault.parameter or "")
        if lesser is None:
            raise self._error(replace(fault, kind="rejected"))
        self.learn(lesser)

    def _delay(self, call: Call, tries: int, fault: Fault) -> float:
        patience = self._manners.patience
        backoff = min(patience.most_seconds, patience.first_seconds * 2**tries)
        jitter = random.Random(f"{self._manners.seed}:{call.key}:{tries}").uniform(0.5, 1.0)
        return float(max(fault.retry_after or 0.0, backoff * jitter))

    def _error(self, fault: Fault) -> Exception:
        where = f"{self.model} at {self.endpoint}"
        if fault.kind in FINAL:
            fix = {
                "access": f"check the key in {self.config.api_key_env}",
                "quota": f"add credit to the account of the key in {self.config.api_key_env}",
                "unknown_model": "check model.name and model.base_url (it ends in /v1 mostly)",
            }[fault.kind]
            return ModelAccessDenied(f"{where}: {fault.message}; {fix}, then run it again")
        if fault.kind == "overflow":
            return ContextOverflow(f"{where}: {fault.message}", fault.limit)
        if fault.kind == "refused":
            return ModelRefused(f"{where}: {fault.message}")
        if fault.kind in TRANSIENT:
            return ModelUnavailable(f"{where}: {fault.kind}, also after retries: {fault.message}")
        return RequestRejected(f"{where}: {fault.message}")


def _estimate(call: Call, text: str) -> Tokens:
    prompt = call.estimated_tokens + call.images * IMAGE_TOKENS
    return Tokens(prompt=prompt, completion=estimate_tokens(text), estimated=True)


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _decode(response: Any) -> str:
    content: bytes = response.content
    return clean_text(content.decode("utf-8", errors="replace"))
