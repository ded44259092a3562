"""The catalogue of codes for people: what a code means and comes from, what helps, which rows give it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from streamt_ol.engine.ruleset import CODES
from streamt_ol.ground.errors import StreamtError
from streamt_ol.review.tables.contract import cited
from streamt_ol.review.tables.table_pages import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.review.tables.rule_files import RowPlace, RuleFiles


class NoSuchCodeError(StreamtError):
    """A code is asked for that the catalogue does not have, or a beginning that several codes share."""

    code: ClassVar[str] = "E147_CODE_NOT_FOUND"


def all_codes(rules: RuleSet) -> dict[str, Any]:
    """Return severity and title of every code, by code."""
    entries = rules.catalogue(CODES).entries
    return {
        "codes": [
            {"code": code, "severity": entry["severity"], "title": entry["title"]}
            for code, entry in sorted(entries.items())
        ]
    }


def explain_code(files: RuleFiles, asked: str) -> dict[str, Any]:
    """Return what the catalogue says about a code, or about the one code that begins so; case is ignored."""
    entries: Mapping[str, Mapping[str, Any]] = files.rules.catalogue(CODES).entries
    code = _find(asked, entries)
    rows = list(_given_by(files, code))
    return {
        "code": code,
        **{name: entries[code].get(name) for name in ("severity", "title", "meaning", "cause", "remedy")},
        "rows": [row.as_dict() for row in rows],
        "statements": cited(number for row in rows for number in row.cites),
    }


def _find(asked: str, entries: Mapping[str, object]) -> str:
    wanted = asked.upper()
    if wanted in entries:
        return wanted
    begin = sorted(code for code in entries if wanted and code.startswith(wanted))
    if len(begin) == 1:
        return begin[0]
    if begin:
        raise NoSuchCodeError(
            f"{len(begin)} codes begin with '{asked}'", location="code", suggestion="\n".join(begin)
        )
    # A number is as good as a code: of `E52` the nearest is E520, whatever that is called.
    numbers = {code.partition("_")[0]: code for code in entries}
    known = numbers if "_" not in wanted else {code: code for code in entries}
    raise NoSuchCodeError(
        f"there is no code '{asked}'",
        location="code",
        suggestion=nearest(wanted, known) or "`streamt explain` lists them all",
    )


def _given_by(files: RuleFiles, code: str) -> Iterator[RowPlace]:
    for table in files.rules.tables.values():
        outputs = [name.removesuffix("?") for name, kind in table.outputs.items() if kind == "code"]
        for row in table.rows:
            if code in [row.then.get(output) for output in outputs]:
                yield files.place(table, row)


def code_lines(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of either document for people."""
    if "codes" in document:
        width = max(len(entry["code"]) for entry in document["codes"])
        for entry in document["codes"]:
            yield f"{entry['code']:<{width}}  {entry['title']}"
        return
    yield f"{document['code']} ({document['severity']}): {document['title']}"
    for title, name in (("Meaning", "meaning"), ("Typical cause", "cause"), ("What helps", "remedy")):
        if document[name] is not None:
            yield ""
            yield title
            yield f"  {document[name]}"
    if document["rows"]:
        yield ""
        yield "Given by"
        for row in document["rows"]:
            cites = f", {', '.join(row['cites'])}" if row["cites"] else ""
            yield f"  {row['table']}/{row['row']} ({row['file']}:{row['line']}{cites})"
    for number, sentence in document["statements"].items():
        yield f"  {number}: {sentence}"
