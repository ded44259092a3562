"""Which of the three kinds an event is: what its `schemaURL` says, else what it has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from streamt_ol.review.events.event_findings import Remark

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamt_ol.lineage.schemas import OpenLineageSchemas

Kind = Literal["DatasetEvent", "JobEvent", "RunEvent"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
NOT_PINNED = "W153_SCHEMA_NOT_PINNED"
_MISTAKABLE = "W152_EVENT_MISTAKABLE"
_BY_SHAPE: Final[tuple[tuple[frozenset[str], Kind], ...]] = (
    (frozenset({"run", "job"}), "RunEvent"),
    (frozenset({"dataset"}), "DatasetEvent"),
    (frozenset({"job"}), "JobEvent"),
    (frozenset({"run"}), "RunEvent"),
)
"""Keys to the kind that the official schema may accept with them; the first that match decide."""
_VERSION = re.compile(r"/([0-9]+-[0-9]+-[0-9]+)/[^/#]*(?:#|$)")


class EventKinds:
    """Tells kinds, by the schemas of one release."""

    def __init__(self, schemas: OpenLineageSchemas) -> None:
        self._urls: dict[str, Kind] = {schemas.event_url(kind): kind for kind in KINDS}
        self._core = version_of(schemas.core_id)
        definitions = schemas.documents[schemas.core_id]["$defs"]
        keys = {kind: _keys(definitions[kind]) for kind in KINDS}
        every = frozenset().union(*keys.values())
        self._of_others = {kind: every - keys[kind] for kind in KINDS}

    def of(self, event: Mapping[str, Any]) -> Kind | None:
        """Return the kind of an event; None where nothing tells it."""
        url = event.get("schemaURL")
        if isinstance(url, str):
            kind = self._urls.get(url) or _last_segment(url)
            if kind is not None:
                return kind
        return next((kind for keys, kind in _BY_SHAPE if keys <= event.keys()), None)

    def about_the_url(self, event: Mapping[str, Any], kind: Kind) -> Iterator[Remark]:
        """Yield what is worth knowing about a `schemaURL` that is not that of the pinned definition.

        Some receivers tell the kind by the last segment alone, and take everything else for a RunEvent.
        """
        url = event.get("schemaURL")
        if not isinstance(url, str) or url in self._urls:
            return
        version = version_of(url)
        named = f"version {version}" if version not in (None, self._core) else "another definition"
        told = kind == _last_segment(url)
        by = "" if told else ", told by its keys"
        message = f"names {named}, which is not pinned; checked as a {kind} of {self._core}{by}"
        yield Remark(NOT_PINNED, ("schemaURL",), message)
        if not told and kind != "RunEvent":
            message = f"does not end in {kind}: receivers may take the event for a RunEvent"
            yield Remark(_MISTAKABLE, ("schemaURL",), message)

    def about_keys(self, event: Mapping[str, Any], kind: Kind) -> Iterator[Remark]:
        """Yield the keys that the schema accepts in an event of the kind although other kinds own them."""
        for key in sorted(self._of_others[kind] & event.keys()):
            message = f"is no key of a {kind}: receivers may take the event for another kind"
            yield Remark(_MISTAKABLE, (key,), message)


def version_of(url: str) -> str | None:
    """Return the version of the document that an OpenLineage URL names: `2-0-2`."""
    found = _VERSION.search(url)
    return found and found[1]


def _last_segment(url: str) -> Kind | None:
    segment = url.rpartition("/")[2]
    return next((kind for kind in KINDS if kind == segment), None)


def _keys(definition: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(key for part in definition["allOf"] for key in part.get("properties", ()))
