"""Pages of tables laid out for people: headings, facts and rows of cells, whatever shows them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from streamt_ol.review.tables.table_pages import POLICIES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamt_ol.review.tables.table_pages import Page

PROSE = ("message", "text")
"""Types of outputs and fields whose values are sentences."""


class Line(NamedTuple):
    """A value, perhaps under a name; prose is read, anything else is code."""

    name: str
    value: str
    prose: bool = False


Cell = list[Line]


@dataclass(frozen=True, slots=True)
class Sheet:
    """One thing to show: what it is, what is said about it, a grid of cells, and what the cells refer to."""

    title: str
    says: str
    facts: Sequence[Line]
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    notes: Mapping[str, str] = field(default_factory=dict)


def sheets(page: Page) -> list[Sheet]:
    """Return the sheets of a page: two of an index, one of anything else."""
    if "index" in page:
        return [_tables(page["index"]["tables"]), _catalogues(page["index"]["catalogues"])]
    return [_table(page) if "table" in page else _catalogue(page)]


def _tables(entries: Sequence[Mapping[str, Any]]) -> Sheet:
    rows = [[_one(entry["name"]), _one(entry["hit"]), _prose(entry["decides"])] for entry in entries]
    return Sheet("Tables", "", (), ("table", "hit", "decides"), rows)


def _catalogues(entries: Sequence[Mapping[str, Any]]) -> Sheet:
    rows = [[_one(entry["name"]), _prose(entry["describes"])] for entry in entries]
    return Sheet("Catalogues", "", (), ("catalogue", "describes"), rows)


def _one(value: str) -> Cell:
    return [Line("", value)]


def _prose(value: str) -> Cell:
    return [Line("", value, prose=True)]


def _table(page: Page) -> Sheet:
    facts = [
        Line("file", page["file"]),
        Line("asked about", ", ".join(page["about"])),
        Line("hit policy", f"{page['hit']}: {POLICIES[page['hit']]}", prose=True),
        *(Line(f"input {name}", _domain(domains)) for name, domains in page["inputs"].items()),
        *(Line(f"output {name}", flow(kind)) for name, kind in page["outputs"].items()),
    ]
    rows = [
        [
            _one(row["id"]),
            list(_conditions(row)),
            _lines(row["then"], page["outputs"]),
            _prose(", ".join(row["cites"])),
        ]
        for row in page["rows"]
    ]
    return Sheet(
        page["table"], page["decides"], facts, ("row", "when", "then", "cites"), rows, page["statements"]
    )


def _domain(domains: Mapping[str, Sequence[object]]) -> str:
    """Return the values of an input, per kind of record where the kinds differ."""
    spelled = {record: ", ".join(map(flow, values)) for record, values in domains.items()}
    if len(set(spelled.values())) == 1:
        return next(iter(spelled.values()))
    return "; ".join(f"{values} ({record})" for record, values in spelled.items())


def _conditions(row: Mapping[str, Any]) -> Iterator[Line]:
    if "pattern" in row:
        yield Line("pattern", row["pattern"])
    for name, values in row["when"].items():
        yield Line(name, " or ".join(map(flow, values)))
    if "pattern" not in row and not row["when"]:
        yield Line("", "always", prose=True)


def _catalogue(page: Page) -> Sheet:
    facts = [
        Line("file", page["file"]),
        *(Line(f"field {name}", flow(kind)) for name, kind in page["fields"].items()),
    ]
    rows = [[_one(key), _lines(entry, page["fields"])] for key, entry in page["entries"].items()]
    return Sheet(page["catalogue"], page["describes"], facts, ("entry", "says"), rows)


def _lines(values: Mapping[str, Any], types: Mapping[str, object]) -> Cell:
    """Return one line per output or field; of what type it is says whether it is prose."""
    kinds = {name.removesuffix("?"): kind for name, kind in types.items()}
    return [Line(name, flow(value), prose=kinds[name] in PROSE) for name, value in values.items()]


def flow(value: object) -> str:
    """Return a plain value on one line: a text as it is, anything else as YAML."""
    if isinstance(value, str):
        return value
    dumped = yaml.safe_dump(
        value, default_flow_style=True, width=float("inf"), allow_unicode=True, sort_keys=False
    )
    return dumped.removesuffix("...\n").strip()
