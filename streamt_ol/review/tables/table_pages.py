"""What a table or catalogue says, as plain values: the document of JSON mode, and what pages are made of."""

from __future__ import annotations

import difflib
from itertools import takewhile
from typing import TYPE_CHECKING, Any, ClassVar

from streamt_ol.ground.errors import StreamtError
from streamt_ol.review.tables.contract import cited

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from streamt_ol.engine.reading import Catalogue
    from streamt_ol.engine.tables import Row, Table
    from streamt_ol.review.tables.rule_files import RuleFiles

Page = dict[str, Any]
"""A document with the key `table`, `catalogue` or `index`."""

POLICIES = {
    "unique": "exactly one row matches",
    "first": "the first row that matches",
    "collect": "every row that matches",
    "pattern": "the first row whose pattern is found in the text",
}


_COMPARED = 8
"""How many similar names are looked at: more are never equally similar in practice."""


class NoSuchTableError(StreamtError):
    """A table or catalogue is asked for that the rule set does not have."""

    code: ClassVar[str] = "E145_TABLE_NOT_FOUND"


def index_page(files: RuleFiles) -> Page:
    """Return every table and catalogue with what it decides or describes, each by name."""
    rules = files.rules
    tables = [
        {
            "name": name,
            "file": table.file,
            "hit": table.hit,
            "decides": table.decides,
            "rows": len(table.rows),
        }
        for name, table in sorted(rules.tables.items())
    ]
    catalogues = [
        {
            "name": name,
            "file": catalogue.file,
            "describes": catalogue.describes,
            "entries": len(catalogue.entries),
        }
        for name, catalogue in sorted(rules.catalogues.items())
    ]
    return {"index": {"tables": tables, "catalogues": catalogues}}


def page(files: RuleFiles, name: str) -> Page:
    """Return the page of a table or catalogue; NoSuchTableError suggests the nearest name."""
    rules = files.rules
    if name in rules.tables:
        return _table_page(files, rules.tables[name])
    if name in rules.catalogues:
        return _catalogue_page(rules.catalogues[name])
    raise NoSuchTableError(
        f"the rule set has no table or catalogue '{name}'",
        location="table",
        suggestion=nearest(name, [*rules.tables, *rules.catalogues]) or "`streamt rules show` lists them all",
    )


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the question whether the most similar known name was meant; None where none is similar.

    Of several that are equally similar, the one that begins most like the name is taken.
    """
    similar = difflib.get_close_matches(name, sorted(known), n=_COMPARED)
    if not similar:
        return None
    best = _likeness(name, similar[0])
    alike = [one for one in similar if _likeness(name, one) == best]
    return f"did you mean '{max(alike, key=lambda one: _common_start(name, one))}'?"


def _common_start(name: str, other: str) -> int:
    pairs = zip(name, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _likeness(name: str, other: str) -> float:
    return difflib.SequenceMatcher(None, other, name).ratio()


def _table_page(files: RuleFiles, table: Table) -> Page:
    vocabulary = files.rules.vocabulary
    return {
        "table": table.name,
        "file": table.file,
        "decides": table.decides,
        "about": list(table.about),
        "hit": table.hit,
        "inputs": {
            name: {record: list(vocabulary.records[record][name].domain or ()) for record in table.about}
            for name in table.inputs
        },
        "outputs": dict(table.outputs),
        "rows": [_row(files, table, row) for row in table.rows],
        "statements": cited(number for row in table.rows for number in row.cites),
    }


def _row(files: RuleFiles, table: Table, row: Row) -> dict[str, Any]:
    spelled = files.spelled(table, row)
    shown: dict[str, Any] = {"id": row.id, "line": files.line(table.file, row.pointer)}
    if row.pattern is not None:
        shown["pattern"] = row.pattern.pattern
    # The values that a condition allows stand in the order of the domain, whatever the row's author wrote.
    shown["when"] = {
        name: [value for value in domain if value in row.when[name]]
        for name, domain in table.inputs.items()
        if name in row.when
    }
    shown["then"] = spelled.get("then", {})
    shown["cites"] = list(row.cites)
    return shown


def _catalogue_page(catalogue: Catalogue) -> Page:
    entries: Mapping[str, Mapping[str, Any]] = catalogue.entries
    return {
        "catalogue": catalogue.name,
        "file": catalogue.file,
        "describes": catalogue.describes,
        "fields": dict(catalogue.fields),
        "entries": {key: dict(entry) for key, entry in entries.items()},
    }
