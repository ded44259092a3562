"""One event by itself: the official schema of its kind, and those of its facets that are pinned.

Unlike the check of this program's own exports, this one accepts whatever the official schemas accept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from streamt_ol.ground.json_problems import deepest, demand
from streamt_ol.ground.json_schema import Checker
from streamt_ol.review.events.event_findings import Remark
from streamt_ol.review.events.event_kinds import KINDS, NOT_PINNED, EventKinds, Kind, version_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from jsonschema.exceptions import ValidationError

    from streamt_ol.lineage.schemas import OpenLineageSchemas

REFUSED_BY_STRICT = "E157_SCHEMA_NOT_PINNED"
_INVALID = "E153_EVENT_INVALID"
_LONGEST_KEY = 80

_CARRIERS: Final = (("run", "run"), ("job", "job"), ("dataset", "dataset"))
"""Key of what carries facets, and the entity that it is."""
_LISTED_CARRIERS: Final = (("inputs", "inputFacets"), ("outputs", "outputFacets"))
"""Key of a list of datasets, and where they carry facets of their use."""

Path = tuple["str | int", ...]


class EventRules:
    """Checks events of any producer; `strict` refuses what names a schema that is not pinned."""

    def __init__(self, schemas: OpenLineageSchemas, *, strict: bool = False) -> None:
        self._schemas = schemas
        self._kinds = EventKinds(schemas)
        self._core = {kind: Checker({"$ref": schemas.event_url(kind)}, schemas.documents) for kind in KINDS}
        self._facets = {
            facet.id: Checker({"$ref": facet.definition}, schemas.documents)
            for facet in schemas.facets.values()
        }
        self._not_pinned = REFUSED_BY_STRICT if strict else NOT_PINNED

    def kind_of(self, value: Any) -> Kind | None:
        """Return the kind of an event; None for anything else."""
        return self._kinds.of(value) if isinstance(value, dict) else None

    def remarks(self, event: Any, kind: Kind | None) -> Iterator[Remark]:
        """Yield, once, each thing to be said about a JSON value that should be an event of the kind."""
        if kind is None:
            message = "tells no kind of event" if isinstance(event, dict) else "is no object"
            yield Remark("E152_EVENT_KIND_UNKNOWN", (), message)
            return
        told: set[tuple[Path, str]] = set()  # the schema of a facet repeats what the core says about it
        for remark in self._all(event, kind):
            if (remark.path, remark.message) not in told:
                told.add((remark.path, remark.message))
                yield remark

    def _all(self, event: Mapping[str, Any], kind: Kind) -> Iterator[Remark]:
        for remark in self._kinds.about_the_url(event, kind):
            yield self._judged(remark)
        if not self._core[kind].accepts(event):
            yield from _problems(self._core[kind], event, _INVALID)
        elif self._is_ambiguous(event):
            message = "is a DatasetEvent and a JobEvent in one: the official schema accepts no such event"
            yield Remark(_INVALID, (), message)
        else:
            yield from self._kinds.about_keys(event, kind)
        for path, entity, facets in _facets(event):
            for key, facet in facets.items():
                yield from self._about_facet(facet, key, entity, (*path, key))

    def _is_ambiguous(self, event: Mapping[str, Any]) -> bool:
        """Return whether the official document, which wants exactly one kind, refuses the event as two.

        A run rules out both other kinds, so these two are the only pair.
        """
        return (
            {"dataset", "job"} <= event.keys()
            and self._core["DatasetEvent"].accepts(event)
            and self._core["JobEvent"].accepts(event)
        )

    def _about_facet(self, facet: Any, key: str, entity: str, path: Path) -> Iterator[Remark]:
        url = facet.get("_schemaURL") if isinstance(facet, dict) else None
        if not isinstance(url, str):
            return  # which the core refuses
        document = url.partition("#")[0]
        checker = self._facets.get(document)
        if checker is None:
            yield self._judged(Remark(NOT_PINNED, path, self._unknown(key, entity, document)))
        elif not checker.accepts(facet):
            yield from _problems(checker, facet, "E154_FACET_INVALID", path)

    def _unknown(self, key: str, entity: str, document: str) -> str:
        pinned = self._schemas.facets.get((entity, key))
        if pinned is None:
            name = key if len(key) <= _LONGEST_KEY else f"{key[:_LONGEST_KEY]}..."
            return f"no schema is pinned for the {entity} facet '{name}'"
        version = version_of(document)
        of_version = f"of version {version}" if version else "of another schema"
        return f"the {entity} facet '{key}' is {of_version}; only {version_of(pinned.id)} is pinned"

    def _judged(self, remark: Remark) -> Remark:
        if remark.code != NOT_PINNED:
            return remark
        return Remark(self._not_pinned, remark.path, remark.message)


def _problems(checker: Checker, value: Any, code: str, path: Path = ()) -> list[Remark]:
    """Return what is wrong, sorted by path: jsonschema walks additional properties in no certain order."""
    found = [
        Remark(code, (*path, *cause.absolute_path), demand(cause))
        for problem in checker.problems(value)
        for cause in _causes(problem)
    ]
    return sorted(
        found, key=lambda remark: ([(type(token).__name__, token) for token in remark.path], remark.message)
    )


def _causes(problem: ValidationError) -> Iterator[ValidationError]:
    """Yield the causes of a problem: all where the schema knows one way to be valid, else the most exact."""
    branches: Any = problem.validator_value
    if not problem.context:
        yield problem
    elif len(branches) == 1:  # the official schemas wrap facets in an `anyOf` of one branch
        for inner in problem.context:
            yield from _causes(inner)
    else:
        yield deepest([problem])


def _facets(event: Mapping[str, Any]) -> Iterator[tuple[Path, str, Mapping[str, Any]]]:
    """Yield every object of facets with its path and the entity that it is about, whatever the kind."""
    for key, entity in _CARRIERS:
        yield from _facets_in(event.get(key), (key,), "facets", entity)
    for key, own in _LISTED_CARRIERS:
        datasets = event.get(key)
        for position, dataset in enumerate(datasets if isinstance(datasets, list) else ()):
            yield from _facets_in(dataset, (key, position), "facets", "dataset")
            yield from _facets_in(dataset, (key, position), own, own.removesuffix("Facets"))


def _facets_in(
    carrier: Any, path: Path, key: str, entity: str
) -> Iterator[tuple[Path, str, Mapping[str, Any]]]:
    facets = carrier.get(key) if isinstance(carrier, dict) else None
    if isinstance(facets, dict):
        yield (*path, key), entity, facets
