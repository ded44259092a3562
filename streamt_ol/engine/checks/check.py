"""What a check is, what it finds, and how findings get their ids and places."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from streamt_ol.ground.pointer import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from streamt_ol.engine.checks.draft import Draft
    from streamt_ol.ground.errors import Place

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""The most severe first."""


@dataclass(frozen=True, slots=True)
class Found:
    """Something that a check says about a place in a file; `""` is the directory as such."""

    file: str
    pointer: str
    message: str
    remedy: str | None = None
    """What helps; lines of YAML where something is to be pasted."""
    detail: str | None = None
    """What tells it apart from others of the check about one row; else the pointer within the row does."""
    severity: Severity | None = None
    """Where it is not that of the check."""
    place: Place | None = None
    """Where it is known already."""


class Check(ABC):
    """One kind of fault. An error makes tables unusable, or the events that they would give invalid."""

    name: ClassVar[str]
    severity: ClassVar[Severity] = "error"

    @abstractmethod
    def find(self, draft: Draft) -> Iterator[Found]:
        """Yield every fault of the kind."""

    def hindrance(self, draft: Draft) -> str | None:  # noqa: ARG002 - most checks always can
        """Return why the check, or a part of it, cannot be made; a note says so."""
        return None


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault as it is shown."""

    id: str
    """`TABLE/ROW/CHECK/DETAIL`: it stays when rows move or lines change."""
    check: str
    severity: Severity
    message: str
    place: Place
    location: str
    """JSON pointer into the file."""
    remedy: str | None

    def as_dict(self) -> dict[str, str | int]:
        """Return plain JSON values; what is not known is left out."""
        parts: dict[str, str | int | None] = {
            "id": self.id,
            "check": self.check,
            "severity": self.severity,
            "message": self.message,
            "file": self.place.file,
            "line": self.place.line,
            "column": self.place.column,
            "location": self.location,
            "remedy": self.remedy,
        }
        return {key: value for key, value in parts.items() if value is not None}


def run(checks: Iterable[Check], draft: Draft) -> list[Finding]:
    """Return what the checks find, in the order of files and lines, each with an id of its own."""
    found = [(check, one) for check in checks for one in _everything(check, draft)]
    findings = [_finding(check, one, draft) for check, one in found]
    findings.sort(key=_order)
    seen: Counter[str] = Counter()
    return [_with_own_id(finding, seen) for finding in findings]


def _everything(check: Check, draft: Draft) -> Iterator[Found]:
    yield from check.find(draft)
    hindrance = check.hindrance(draft)
    if hindrance is not None and not draft.lost:  # else it is said already that nothing is checked
        yield Found("", "", hindrance, detail="not-checked", severity="note")


def _finding(check: Check, one: Found, draft: Draft) -> Finding:
    place = one.place or draft.place(one.file, one.pointer)
    return Finding(
        "/".join(_id(check, one, draft)),
        check.name,
        one.severity or check.severity,
        one.message,
        place,
        one.pointer,
        one.remedy,
    )


def _id(check: Check, one: Found, draft: Draft) -> Iterator[str]:
    source = draft.sources.get(one.file)
    document: Mapping[str, Any] = source.document if source else {}
    kind = next((kind for kind in ("table", "catalogue", "vocabulary") if kind in document), None)
    path = tokens(one.pointer)
    if kind is not None:
        yield str(document[kind])
    elif one.file:
        yield one.file
    if kind == "table" and path[:1] == ["rows"] and len(path) > 1:
        yield str(document["rows"][int(path[1])]["id"])
        path = path[2:]
    elif kind == "catalogue" and path[:1] == ["entries"] and len(path) > 1:
        yield path[1]
        path = path[2:]
    elif kind == "table" and path[:1] in (["inputs"], ["about"]) and len(path) > 1:
        path = [path[0], str(document[path[0]][int(path[1])])]
    yield check.name
    detail = ".".join(path) if one.detail is None else one.detail
    if detail:
        yield detail


def _order(finding: Finding) -> tuple[str, int, int, str, str]:
    place = finding.place
    return place.file, place.line or 0, place.column or 0, finding.id, finding.message


def _with_own_id(finding: Finding, seen: Counter[str]) -> Finding:
    seen[finding.id] += 1
    if seen[finding.id] == 1:
        return finding
    return replace(finding, id=f"{finding.id}/{seen[finding.id]}")
