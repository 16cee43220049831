"""What a run has cost, what it may cost, and the prices behind both.

Not a store: all sums come from `calls.sqlite`, so that a resumed run counts what was spent before.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

import yaml
from pydantic import Field, ValidationError

from synthagent.errors import BudgetExceeded, ConfigError
from synthagent.llm.body import Tokens
from synthagent.llm.recorded import CallStore, Spent
from synthagent.records import Frozen, Usage

PRICE_FILE = Path(__file__).with_name("prices.yaml")
PRICE_VARIABLE = "SYNTHAGENT_PRICES"
_SNAPSHOT = re.compile(r"-\d{4}-\d{2}-\d{2}$")


class Price(Frozen):
    """US dollars for a million tokens."""

    input: float = Field(ge=0)
    cached: float = Field(ge=0)
    output: float = Field(ge=0)


class PriceTable(Frozen):
    """Prices as of a date, by the exact name of the model."""

    as_of: str
    models: dict[str, Price]

    @classmethod
    def load(cls, extra: Path | None = None) -> "PriceTable":
        """Return the table that comes along, with the entries of the file `extra` on top."""
        table = _read(PRICE_FILE)
        if extra is None:
            return table
        own = _read(extra)
        return cls(as_of=own.as_of, models=table.models | own.models)

    def find(self, model: str) -> Price | None:
        """Return the price of `model`, or of the model that it is a dated snapshot of.

        Names are never matched by a part: `gpt-4o-mini` is not `gpt-4o`.
        """
        name = model.removeprefix("openai/")
        return self.models.get(name) or self.models.get(_SNAPSHOT.sub("", name))


def _read(path: Path) -> PriceTable:
    try:
        return PriceTable.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, yaml.YAMLError, ValidationError) as error:
        raise ConfigError(f"cannot read the prices in {path}: {error}") from error


def price_table(environ: Mapping[str, str]) -> PriceTable:
    """Return the prices, with those of the file that `SYNTHAGENT_PRICES` names."""
    named = environ.get(PRICE_VARIABLE)
    return PriceTable.load(Path(named) if named else None)


class Limits(Frozen):
    """Hard limits of a run; None is no limit."""

    usd: float | None = None
    calls: int | None = None
    tokens: int | None = None


class Ledger:
    """Adds up costs and refuses the next call when a limit is reached."""

    def __init__(self, store: CallStore, prices: PriceTable, limits: Limits) -> None:
        self._store = store
        self._prices = prices
        self._limits = limits
        spent = store.spent()
        self._calls = spent.requests
        self._tokens = spent.tokens
        self._usd = spent.known_usd

    def price(self, model: str, tokens: Tokens) -> float | None:
        """Return the cost of one reply in US dollars, None when the price is not known."""
        price = self._prices.find(model)
        if price is None:
            return None
        fresh = tokens.prompt - tokens.cached
        cost = fresh * price.input + tokens.cached * price.cached + tokens.completion * price.output
        return cost / 1e6

    def require_price(self, model: str) -> None:
        """Refuse a limit in money for a model whose price nobody told.

        Raises:
            ConfigError: the table has no entry for `model`.
        """
        if self._limits.usd is not None and self._prices.find(model) is None:
            raise ConfigError(
                f"model.max_usd = {self._limits.usd}: the price of {model!r} is not known; add it"
                f" to a file named by {PRICE_VARIABLE}, or limit model.max_calls instead"
            )

    def admit(self) -> None:
        """Let one more request pass.

        Raises:
            BudgetExceeded: a limit was reached; what is in flight may still come in.
        """
        for name, spent, limit in (
            ("max_usd", self._usd, self._limits.usd),
            ("max_calls", self._calls, self._limits.calls),
            ("max_total_tokens", self._tokens, self._limits.tokens),
        ):
            if limit is not None and spent >= limit:
                shown = f"{spent:.4f}" if isinstance(spent, float) else spent
                raise BudgetExceeded(
                    f"model.{name} = {limit} is used up ({shown}); raise it and run the same"
                    " command again to go on"
                )
        self._calls += 1

    def add(self, tokens: Tokens, usd: float | None) -> None:
        """Add what one request has cost."""
        self._tokens += tokens.total
        self._usd += usd or 0.0

    def total(self) -> Spent:
        """Return the sums of the whole run."""
        return self._store.spent()

    def by(self, column: Literal["stage", "model", "item", "endpoint"]) -> dict[str, Spent]:
        """Return the sums by stage, model, item or endpoint."""
        return self._store.spent_by(column)

    def usage(self, item: str) -> Usage:
        """Return what `item` has cost, as records keep it."""
        return _usage(self._store.spent(item=item))

    def usage_of(self, keys: Iterable[str]) -> Usage:
        """Return what the calls with these keys have cost, as records keep it."""
        return _usage(self._store.spent(keys=keys))


def _usage(spent: Spent) -> Usage:
    return Usage(
        calls=spent.requests,
        prompt_tokens=spent.prompt_tokens,
        cached_tokens=spent.cached_tokens,
        completion_tokens=spent.completion_tokens,
        usd=spent.usd,
        seconds=spent.seconds,
    )
