"""Writes `report.html`: one file without outside parts, safe to open whatever a site put on pages.

Counts, chooses and draws nothing; it brings together what the other modules of this folder make.
"""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from synthagent.blobs import write_atomically
from synthagent.journal import RunDirectory
from synthagent.report import numbers
from synthagent.report.charts import draw_bars, draw_funnel, draw_map
from synthagent.report.costs import sum_costs, total_usd
from synthagent.report.coverage import Coverage, map_coverage
from synthagent.report.gallery import choose_rows, show
from synthagent.report.rows import Rewrite, Row, read_rows
from synthagent.report.wording import Change, diff_words

MAX_REWRITES = 60
MAX_DROPS = 40
"""Per reason; the rest is counted."""


@dataclass(frozen=True, slots=True)
class RewriteView:
    """One rewrite, with the words that changed."""

    row: Row
    rewrite: Rewrite
    before: tuple[Change, ...]
    after: tuple[Change, ...]


def write_report(directory: RunDirectory) -> Path:
    """Return the path of the `report.html` written for a run, finished or not."""
    html = render(_gather(directory))
    path = directory.path / "report.html"
    write_atomically(path, html.encode())
    return path


def render(values: dict[str, Any]) -> str:
    """Return the page; nothing but the two inline blocks of the package may style or script it."""
    templates = Environment(
        loader=PackageLoader("synthagent.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {
        "count": _count,
        "duration": _duration,
        "money": _money,
        "clip": _clip,
        "px": partial("{:.1f}".format),
    }
    style = templates.get_template("style.css").render(map_width=values["site_map"].width)
    script = templates.get_template("report.js").render()
    return templates.get_template("report.html.jinja").render(
        **values,
        style=Markup(style),  # package data, rendered with one number
        script=Markup(script),  # package data
        policy=_policy(style, script),
    )


def _gather(directory: RunDirectory) -> dict[str, Any]:
    rows = read_rows(directory.trajectories, directory.reviews, directory.refined)
    coverage = map_coverage(directory.transitions, rows, directory.blobs.get_page)
    transitions, tasks = len(directory.transitions), len(directory.tasks)
    gallery, left_out = show(directory, choose_rows(rows))
    rewrites = _view_rewrites(rows)
    costs = sum_costs(directory, rows)
    return {
        "run": directory.path.name,
        "config": directory.config,
        "settings": yaml.safe_dump(directory.config.model_dump(mode="json"), sort_keys=False),
        "rows": rows,
        "kept": [row for row in rows if row.kept],
        "coverage": coverage,
        "kept_kinds": _kept_kinds(rows),
        "site_map": draw_map(coverage),
        "funnel": draw_funnel(numbers.count_funnel(transitions, tasks, rows)),
        "types": numbers.count_types(rows),
        "type_names": numbers.TYPES,
        "lengths": draw_bars(numbers.count_lengths(rows)),
        "rewrites": rewrites[:MAX_REWRITES],
        "rewrites_total": len(rewrites),
        "drops": numbers.group_drops(rows),
        "max_drops": MAX_DROPS,
        "faults": [row for row in rows if row.end == "infrastructure"],
        "costs": costs,
        "usd": total_usd(costs),
        "gallery": gallery,
        "pictures_left_out": left_out,
        "controls": _count_controls(coverage),
    }


def _view_rewrites(rows: Sequence[Row]) -> list[RewriteView]:
    views = []
    for row in rows:
        for rewrite in row.rewrites:
            changes = diff_words(rewrite.before, rewrite.after)
            before = tuple(change for change in changes if change.kind != "ins")
            after = tuple(change for change in changes if change.kind != "del")
            views.append(RewriteView(row, rewrite, before, after))
    return sorted(views, key=lambda view: not view.row.kept)


def _kept_kinds(rows: Sequence[Row]) -> int:
    return len({kind for row in rows if row.kept for kind in row.kinds})


def _count_controls(coverage: Coverage) -> tuple[int, int]:
    kinds = coverage.kinds
    return sum(kind.tried for kind in kinds), sum(kind.seen for kind in kinds)


def _policy(style: str, script: str) -> str:
    return (
        "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
        f"style-src '{_source_hash(style)}'; script-src '{_source_hash(script)}'"
    )


def _source_hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _count(number: int) -> str:
    return f"{number:,}".replace(",", "\u202f")


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def _money(usd: float | None) -> str:
    if usd is None:
        return "price unknown"
    return f"${usd:,.2f}" if usd >= 0.1 or usd == 0 else f"${usd:.4f}"


def _clip(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"
