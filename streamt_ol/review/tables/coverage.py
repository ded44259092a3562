"""Which rows a golden suite fires: its approved traces against the tables that they were made with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import orjson

from streamt_ol.ground import yaml_reader
from streamt_ol.ground.errors import Diagnostic, Place, StreamtError
from streamt_ol.ground.pointer import pointer
from streamt_ol.ground.yaml_errors import YamlError
from streamt_ol.ground.yaml_marks import find_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from streamt_ol.review.tables.rule_files import RowPlace, RuleFiles

TRACES = "*/expected/*.trace.jsonl"
"""Where a folder of golden cases keeps its approved traces."""
EXCEPTIONS = "coverage.yml"
"""Beside the cases: `TABLE/ROW` to the test that fires the row, and why no golden run does."""

_SPELLING = "an exception is written `TABLE/ROW: {test: ..., why: ...}`"

Key = tuple[str, str]
"""Table and row."""


class TraceUnreadableError(StreamtError):
    """A folder has no traces, or a trace or the list of exceptions cannot be understood."""

    code: ClassVar[str] = "E166_TRACE_UNREADABLE"


@dataclass(frozen=True, slots=True)
class Exempt:
    """A row that a test fires instead of a golden run."""

    table: str
    row: str
    test: str
    why: str
    place: Place


@dataclass(slots=True)
class Fired:
    """A row as traces name it: the runs that fire it, by name, and the first line that says so."""

    runs: list[str]
    place: Place


@dataclass(frozen=True, slots=True)
class Coverage:
    """Everything that traces and exceptions say about the rows of a rule set."""

    folder: Path
    """That of the rule set."""
    declared: Mapping[Key, RowPlace]
    fired: Mapping[Key, Fired]
    exempt: Mapping[Key, Exempt]
    traces: int

    def never(self) -> list[RowPlace]:
        """Return the rows that no run fires and no exception names."""
        shown = self.fired.keys() | self.exempt.keys()
        return [place for key, place in self.declared.items() if key not in shown]

    def findings(self) -> Iterator[Diagnostic]:
        """Yield what is wrong: rows that never fire, traces of unknown rows, exceptions without need."""
        for row in self.never():
            message = f"row '{row.row}' of table '{row.table}' is fired by no golden run"
            place = Place(str(self.folder / row.file), row.line)
            yield Diagnostic("E167_ROW_NEVER_FIRES", message, place=place)
        for key, fired in self.fired.items():
            if key not in self.declared:
                yield Diagnostic("E168_TRACE_STALE", _unknown(key), place=fired.place)
        for key, exempt in self.exempt.items():
            if key not in self.declared or key in self.fired:
                name = "/".join(key)
                message = _unknown(key)
                if key in self.declared:
                    message = f"'{name}' is fired by golden run {self.fired[key].runs[0]}"
                yield Diagnostic("E169_COVERAGE_EXCEPTION_STALE", message, pointer(name), exempt.place)

    def document(self) -> dict[str, Any]:
        """Return plain JSON values: per table its rows and how many runs fire them, then what never fires."""
        tables: dict[str, list[dict[str, Any]]] = {}
        for key, place in self.declared.items():
            tables.setdefault(place.table, []).append(self._row(key, place))
        never = self.never()
        return {
            "tables": [{"table": name, "rows": rows} for name, rows in tables.items()],
            "never": [row.as_dict() for row in never],
            "stale": [
                {"table": table, "row": row, "file": fired.place.file, "line": fired.place.line}
                for (table, row), fired in self.fired.items()
                if (table, row) not in self.declared
            ],
            "counts": {
                "traces": self.traces,
                "rows": len(self.declared),
                "fired": len(self.declared.keys() & self.fired.keys()),
                "proved_by_tests": len(self.exempt.keys() & self.declared.keys() - self.fired.keys()),
                "never": len(never),
            },
        }

    def _row(self, key: Key, place: RowPlace) -> dict[str, Any]:
        row: dict[str, Any] = {"row": place.row, "file": place.file, "line": place.line, "runs": 0}
        if key in self.fired:
            row["runs"] = len(self.fired[key].runs)
            row["sample"] = self.fired[key].runs[0]
        elif key in self.exempt:
            row |= {"test": self.exempt[key].test, "why": self.exempt[key].why}
        return row


def _unknown(key: Key) -> str:
    return f"no table '{key[0]}' has a row '{key[1]}'"


def read_coverage(files: RuleFiles, folders: Sequence[Path]) -> Coverage:
    """Return the coverage of a rule set by the golden cases of folders.

    Raises TraceUnreadableError with its place.
    """
    fired: dict[Key, Fired] = {}
    exempt: dict[Key, Exempt] = {}
    traces = 0
    for folder in folders:
        paths = sorted(folder.glob(TRACES))
        if not paths:
            raise TraceUnreadableError(
                f"{folder} has no approved traces ({TRACES})", location="golden", place=Place(str(folder))
            )
        traces += len(paths)
        for path in paths:
            _add_trace(path, fired)
        exempt |= {(one.table, one.row): one for one in read_exceptions(folder / EXCEPTIONS)}
    declared = {
        (table.name, row.id): files.place(table, row)
        for _name, table in sorted(files.rules.tables.items())
        for row in table.rows
    }
    return Coverage(files.folder, declared, fired, exempt, traces)


def _add_trace(path: Path, fired: dict[Key, Fired]) -> None:
    run = f"{path.parent.parent.name}/{path.name.removesuffix('.trace.jsonl')}"
    for number, line in enumerate(_bytes(path).splitlines(), 1):
        try:
            decision = orjson.loads(line)
            key = str(decision["table"]), str(decision["row"])
        except (ValueError, TypeError, KeyError):
            raise TraceUnreadableError(
                "a line of a trace is an object with `table` and `row`", place=Place(str(path), number)
            ) from None
        known = fired.setdefault(key, Fired([], Place(str(path), number)))
        if run not in known.runs[-1:]:
            known.runs.append(run)


def read_exceptions(path: Path) -> list[Exempt]:
    """Return the exceptions of a file, none where it is absent; TraceUnreadableError with its place."""
    if not path.exists():
        return []
    data = _bytes(path)
    try:
        document = yaml_reader.parse(data, str(path)) or {}
    except YamlError as error:
        raise TraceUnreadableError(error.message, place=error.place) from None
    if not isinstance(document, dict):
        raise TraceUnreadableError(_SPELLING, place=Place(str(path)))
    return [_exempt(name, entry, find_key(data, [name], str(path))) for name, entry in document.items()]


def _exempt(name: str, entry: object, place: Place) -> Exempt:
    table, _slash, row = name.partition("/")
    match entry:
        case {"test": str(test), "why": str(why), **more} if row and test and why and not more:
            return Exempt(table, row, test, why, place)
    raise TraceUnreadableError(_SPELLING, location=pointer(name), place=place)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise TraceUnreadableError(
            f"{path.name} cannot be read: {error.strerror}", place=Place(str(path))
        ) from None


def coverage_lines(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the document for people: tables, their rows, and the count of all."""
    for table in document["tables"]:
        rows: Sequence[Mapping[str, Any]] = table["rows"]
        yield f"{table['table']}: {sum(row['runs'] > 0 for row in rows)} of {len(rows)} rows are fired"
        width = max(len(row["row"]) for row in rows)
        for row in rows:
            yield f"  {row['row']:<{width}}  {_fired(row)}"
        yield ""
    counts = document["counts"]
    yield (
        f"{counts['fired']} of {counts['rows']} rows are fired by {counts['traces']} golden runs, "
        f"{counts['proved_by_tests']} by tests, {counts['never']} by none"
    )


def _fired(row: Mapping[str, Any]) -> str:
    if "sample" in row:
        runs = "1 run" if row["runs"] == 1 else f"{row['runs']} runs"
        return f"{runs}, such as {row['sample']}"
    return f"a test: {row['test']}" if "test" in row else f"never ({row['file']}:{row['line']})"
