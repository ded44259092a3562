"""The last check before bytes: each static event against its closed schema, then the sequence as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from streamt_ol.ground.errors import StreamtError
from streamt_ol.ground.json_problems import deepest, demand
from streamt_ol.ground.json_schema import Checker
from streamt_ol.ground.pointer import pointer
from streamt_ol.lineage.event_schema import static_event_schemas

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from streamt_ol.lineage.schemas import OpenLineageSchemas

Identity = tuple[str, str]
"""Namespace and name."""


class EventInvalidError(StreamtError):
    """A static event, or its place among the others, breaks the contract; `location` is `/events/N/...`."""

    code: ClassVar[str] = "E506_OPENLINEAGE_INVALID"


class EventChecker:
    """Checks sequences of static events as one producer writes them."""

    def __init__(self, schemas: OpenLineageSchemas, producer: str) -> None:
        composed = static_event_schemas(schemas, producer)
        self._by_url = {url: Checker(schema, schemas.documents) for url, schema in composed.items()}
        kind = {"properties": {"schemaURL": {"enum": list(composed)}}, "required": ["schemaURL"]}
        self._of_no_kind = Checker({"type": "object", **kind})

    def check_sequence(self, events: Iterable[dict[str, Any]]) -> None:
        """Raise `EventInvalidError` for the first event that `checked` refuses."""
        for _event in self.checked(events):
            pass

    def checked(self, events: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Yield each event once it is checked; raise `EventInvalidError` for the first that breaks a rule.

        DatasetEvents come first, then JobEvents, each sorted by namespace and name in code-point order, each
        identity once. All events have one time. Jobs name, sorted, only datasets of the sequence, none as
        input and output. The fields of a schema are numbered from 1 and have different names.
        """
        datasets: set[Identity] = set()
        time = None
        before = (False, "", "")
        for index, event in enumerate(events):
            self._check_schema(event, index)
            time = time or event["eventTime"]
            if event["eventTime"] != time:
                raise _invalid("is not the time of the first event", index, "eventTime")
            is_job = "job" in event
            entity = "job" if is_job else "dataset"
            identity = _checked_identity(event[entity], index, entity)
            place = (is_job, *identity)
            if place <= before:
                raise _invalid(_OUT_OF_PLACE if place != before else "is given twice", index, entity)
            before = place
            if is_job:
                _check_relations(event, index, datasets)
            else:
                datasets.add(identity)
                schema = event["dataset"].get("facets", {}).get("schema", {})
                _check_fields(schema.get("fields", ()), index, "dataset", "facets", "schema", "fields")
            yield event

    def _check_schema(self, event: Any, index: int) -> None:
        url = event.get("schemaURL") if isinstance(event, dict) else None
        checker = self._by_url.get(url, self._of_no_kind) if isinstance(url, str) else self._of_no_kind
        if not checker.accepts(event):
            problem = deepest(checker.problems(event))
            raise _invalid(demand(problem), index, *problem.absolute_path)


_OUT_OF_PLACE = "stands at the wrong place: datasets come first, then jobs, each by namespace and name"


def _invalid(message: str, index: int, *path: str | int) -> EventInvalidError:
    location = pointer("events", index, *path)
    return EventInvalidError(f"{location} {message}", location=location)


def _checked_identity(entity: Mapping[str, Any], index: int, *path: str | int) -> Identity:
    namespace, name = entity["namespace"], entity["name"]
    if not namespace.strip():
        raise _invalid("is blank", index, *path, "namespace")
    if not name.strip():
        raise _invalid("is blank", index, *path, "name")
    return namespace, name


def _check_relations(event: Mapping[str, Any], index: int, datasets: set[Identity]) -> None:
    inputs = _checked_datasets(event, index, "inputs", datasets)
    outputs = _checked_datasets(event, index, "outputs", datasets)
    for position, output in enumerate(outputs):
        if output in inputs:
            raise _invalid("is an input of the same job", index, "outputs", position)


def _checked_datasets(
    event: Mapping[str, Any], index: int, direction: str, datasets: set[Identity]
) -> list[Identity]:
    identities = [(dataset["namespace"], dataset["name"]) for dataset in event.get(direction, ())]
    before = ("", "")
    for position, identity in enumerate(identities):
        if identity not in datasets:
            raise _invalid("is no dataset of this export", index, direction, position)
        if identity <= before:
            message = (
                "is given twice"
                if identity == before
                else "stands at the wrong place: sort by namespace, name"
            )
            raise _invalid(message, index, direction, position)
        before = identity
    return identities


def _check_fields(fields: Sequence[Mapping[str, Any]], index: int, *path: str | int) -> None:
    names = set()
    for position, field in enumerate(fields):
        name = field["name"]
        if not name.strip():
            raise _invalid("is blank", index, *path, position, "name")
        if name in names:
            raise _invalid("repeats the name of an earlier field", index, *path, position, "name")
        names.add(name)
        if "ordinal_position" not in field:
            raise _invalid("lacks 'ordinal_position'", index, *path, position)
        ordinal = field["ordinal_position"]
        if ordinal != position + 1 or type(ordinal) is not int:
            raise _invalid(f"must be {position + 1}", index, *path, position, "ordinal_position")
        if "fields" in field:
            _check_fields(field["fields"], index, *path, position, "fields")
