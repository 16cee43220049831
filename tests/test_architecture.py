"""The rules of docs/architecture.md and of the house, read from the source with `ast`.

Not a linter: what ruff and mypy check is left to them.
"""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MOST_LINES = 400
MOST_FUNCTION_LINES = 40
NAMELESS = {"utils", "util", "helpers", "helper", "common", "base", "manager", "managers", "misc"}
BESIDE = {
    ("journal", "blobs"): "logs use its atomic write, a run holds its store",
    ("journal", "config"): "a run holds its settings",
}
"""Imports between modules of one rank, with the reason for each."""
ONLY_IN = {
    "playwright": "browser",
    "torch": "train",
    "transformers": "train",
    "peft": "train",
    "trl": "train",
    "datasets": "train",
    "prefect": None,
    "flows": None,
    "tests": None,
    "environments": None,
}
"""Packages that only one folder of synthagent may import, or none."""
BROAD = {"Exception", "BaseException"}


@dataclass(frozen=True, slots=True)
class Module:
    """One source file, parsed."""

    name: str
    """Dotted, below `synthagent`: `journal.log`, `config`; empty for the package itself."""
    text: str

    @property
    def tree(self) -> ast.Module:
        return parse(self.text)

    @property
    def part(self) -> str:
        return self.name.split(".")[0]


parse = cache(ast.parse)


def read_modules() -> tuple[Module, ...]:
    found = []
    for path in sorted((ROOT / "synthagent").rglob("*.py")):
        parts = path.relative_to(ROOT / "synthagent").with_suffix("").parts
        name = ".".join(part for part in parts if part != "__init__")
        found.append(Module(name, path.read_text(encoding="utf-8")))
    return tuple(found)


def read_ranks() -> dict[str, int]:
    """Return the rank of each part of synthagent, from the table in docs/architecture.md."""
    ranks = {}
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for rank, names in re.findall(r"^\| (\d+) \| ([^|]+) \|", text, re.MULTILINE):
        ranks |= {name.rstrip("/"): int(rank) for name in re.findall(r"`([a-z_]+/?)`", names)}
    return ranks


MODULES = read_modules()
RANKS = read_ranks()


def imports(module: Module) -> Iterator[tuple[int, str]]:
    """Return the line and the dotted name of everything that `module` imports."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level:
            yield node.lineno, "relative"
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.lineno, node.module
            if node.module == "synthagent":
                yield from ((node.lineno, f"synthagent.{alias.name}") for alias in node.names)


def upward_imports(module: Module) -> Iterator[str]:
    for line, name in imports(module):
        root, _, rest = name.partition(".")
        target = rest.split(".")[0]
        if root == "relative":
            yield f"{line}: relative import"
        if root != "synthagent" or target in ("", "__version__", module.part) or not module.part:
            continue
        here, there = RANKS.get(module.part), RANKS.get(target)
        if here is None or there is None:
            yield f"{line}: {module.part} or {target} has no rank in docs/architecture.md"
        elif there > here or (there == here and (module.part, target) not in BESIDE):
            yield f"{line}: {module.part} (rank {here}) imports {target} (rank {there})"


def foreign_imports(module: Module) -> Iterator[str]:
    for line, name in imports(module):
        root = name.split(".")[0]
        if root in ONLY_IN and module.part != ONLY_IN[root]:
            yield f"{line}: {root} belongs to {ONLY_IN[root] or 'nothing in synthagent'}"


def prints(module: Module) -> Iterator[str]:
    if module.part == "cli" or is_program(module):
        return
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Name) and node.id == "print":
            yield f"{node.lineno}: print"
        if isinstance(node, ast.Attribute) and ast.unparse(node) in ("sys.stdout", "sys.stderr"):
            yield f"{node.lineno}: {ast.unparse(node)}"
    yield from (f"{line}: rich" for line, name in imports(module) if name.split(".")[0] == "rich")


def is_program(module: Module) -> bool:
    """Return whether `module` runs as a process of its own, which tells its parent where it is."""
    return '\nif __name__ == "__main__":\n' in module.text


def too_long(module: Module) -> Iterator[str]:
    lines = module.text.count("\n")
    if lines > MOST_LINES:
        yield f"{lines} lines"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            length = body[-1].end_lineno - body[0].lineno + 1 if body else 0
            if length > MOST_FUNCTION_LINES:
                yield f"{node.lineno}: {node.name} has {length} lines"


def without_preface(module: Module) -> Iterator[str]:
    preface = ast.get_docstring(module.tree)
    if not preface:
        yield "1: no docstring that says what the module is"
    elif not preface.split("\n")[0].endswith((".", ";", ":")):
        yield "1: its first line is not a sentence"


def nameless(module: Module) -> Iterator[str]:
    yield from (f"{part} says nothing" for part in module.name.split(".") if part in NAMELESS)


def broad_catches(module: Module) -> Iterator[str]:
    if module.name == "journal.runner":
        return
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ExceptHandler):
            caught = set(re.findall(r"\w+", ast.unparse(node.type))) if node.type else BROAD
            passes_on = ast.unparse(node.body[-1]) == "raise"  # cleans up and lets it through
            if caught & BROAD and not passes_on:
                yield f"{node.lineno}: except {', '.join(sorted(caught))}"
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("suppress"):
            yield from (
                f"{node.lineno}: suppress" for arg in node.args if ast.unparse(arg) in BROAD
            )


def bare_ignores(module: Module) -> Iterator[str]:
    for number, line in enumerate(module.text.split("\n"), start=1):
        if re.search(r"#\s*type:\s*ignore(?!\[)|#\s*noqa(?!:)", line):
            yield f"{number}: an ignore without a code"


RULES: tuple[Callable[[Module], Iterator[str]], ...] = (
    upward_imports,
    foreign_imports,
    prints,
    too_long,
    without_preface,
    nameless,
    broad_catches,
    bare_ignores,
)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_house_keeps_its_rules(rule):
    broken = [f"synthagent/{module.name}: {what}" for module in MODULES for what in rule(module)]
    assert broken == []


def test_the_broad_catch_is_where_it_is_said_to_be():
    runner = next(module for module in MODULES if module.name == "journal.runner")
    assert len(list(broad_catches(Module("journal.other", runner.text)))) == 1


def test_every_part_has_a_rank_and_the_table_names_no_strangers():
    parts = {module.part for module in MODULES if module.part}
    planned = {"train", "evaluate", "viewer"}
    assert parts - RANKS.keys() == set()
    assert RANKS.keys() - parts <= planned
    assert RANKS["errors"] < RANKS["records"] < RANKS["journal"] < RANKS["browser"] < RANKS["cli"]


BREACHES = [
    (upward_imports, "journal.x", "from synthagent.cli import app"),
    (upward_imports, "browser.x", "import synthagent.llm.client"),
    (upward_imports, "explore.x", "from synthagent.refine import stage"),
    (upward_imports, "blobs", "from synthagent import journal"),
    (upward_imports, "llm.x", "def f():\n    from synthagent.agent import rollout"),
    (upward_imports, "llm.x", "from . import client"),
    (upward_imports, "llm.x", "from synthagent.newcomer import x"),
    (foreign_imports, "llm.x", "from playwright.async_api import Page"),
    (foreign_imports, "pipeline", "import prefect"),
    (foreign_imports, "agent.x", "import torch.nn as nn"),
    (prints, "pipeline", "print(1)"),
    (prints, "pipeline", "import sys\nsys.stdout.write('x')"),
    (prints, "pipeline", "from rich.console import Console"),
    (too_long, "llm.x", "x = 1\n" * 401),
    (too_long, "llm.x", "def f():\n" + "    x = 1\n" * 41),
    (too_long, "llm.x", "class C:\n  async def f():\n" + "    x = 1\n" * 41),
    (without_preface, "llm.x", "# a comment\nimport os"),
    (without_preface, "llm.x", '"""TODO"""'),
    (nameless, "llm.utils", ""),
    (nameless, "common.x", ""),
    (broad_catches, "llm.x", "try:\n    f()\nexcept Exception:\n    g()"),
    (broad_catches, "llm.x", "try:\n    f()\nexcept (OSError, BaseException) as e:\n    g()"),
    (broad_catches, "llm.x", "try:\n    f()\nexcept:\n    g()"),
    (broad_catches, "llm.x", "with contextlib.suppress(Exception):\n    f()"),
    (bare_ignores, "llm.x", "x = 1  # type: ignore"),
    (bare_ignores, "llm.x", "x = 1  # noqa"),
]
KEPT = [
    (upward_imports, "cli.x", "from synthagent.journal import RunDirectory"),
    (upward_imports, "journal.x", "from synthagent.blobs import BlobStore"),
    (upward_imports, "llm.x", "from synthagent.llm.client import Client\nimport os"),
    (upward_imports, "pipeline", "from synthagent import __version__"),
    (foreign_imports, "browser.x", "from playwright.async_api import Page"),
    (foreign_imports, "train.x", "import torch"),
    (prints, "cli.x", "print(1)"),
    (prints, "llm.x", 'print(1)\nif __name__ == "__main__":\n    main()'),
    (too_long, "llm.x", "x = 1\n" * 400),
    (too_long, "llm.x", 'def f():\n    """A\n' + "\n" * 50 + '    """\n' + "    x = 1\n" * 40),
    (without_preface, "llm.x", '"""Says what it is.\n\nMore."""'),
    (nameless, "llm.database", ""),
    (broad_catches, "journal.runner", "try:\n    f()\nexcept Exception:\n    g()"),
    (broad_catches, "llm.x", "try:\n    f()\nexcept (OSError, ValueError):\n    g()"),
    (broad_catches, "llm.x", "try:\n    f()\nexcept BaseException:\n    g()\n    raise"),
    (bare_ignores, "llm.x", "x = 1  # type: ignore[arg-type]  # the library is untyped"),
]


@pytest.mark.parametrize(("rule", "name", "text"), BREACHES)
def test_a_breach_is_noticed(rule, name, text):
    assert list(rule(Module(name, text)))


@pytest.mark.parametrize(("rule", "name", "text"), KEPT)
def test_what_is_allowed_is_not_reported(rule, name, text):
    assert list(rule(Module(name, text))) == []
