"""Why a source or model became what an export says: every part of its events with the rows that decided it.

The export is run with its tables watched; what they were asked is joined with the events that came of it.
Where the export failed there are no events, and what was decided before is all that can be told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from streamt_ol.engine.ruleset import CODES
from streamt_ol.ground.errors import Diagnostic
from streamt_ol.ground.redaction import redact
from streamt_ol.review.explaining.facet_parts import facet_parts
from streamt_ol.review.explaining.heard import TEXTS, Heard
from streamt_ol.review.explaining.parts import Part, left_out
from streamt_ol.review.tables.contract import cited

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from streamt_ol.engine.tables import Question
    from streamt_ol.lineage.exporting import Export
    from streamt_ol.review.tables.rule_files import RowPlace, RuleFiles

DATASET, JOB = ("processes", "datasets"), ("processes", "jobs")
"""The tables that say whether there is a dataset or a job, and what its name is made of."""
DATASET_TEXTS, JOB_TEXTS = ("source_topic", "output_name"), ("project_name", "model_name")
"""The subjects of texts that become part of these names."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be explained: a declaration, and which of its events (None: all)."""

    kind: str
    name: str
    at: str
    events: Collection[int] | None = None
    """Positions in the export, from 0."""


class Explainer:
    """Explains declarations of one export; `export` is None where it failed."""

    def __init__(
        self,
        questions: Sequence[Question],
        files: RuleFiles,
        export: Export | None,
    ) -> None:
        self._heard = Heard(questions, files)
        self._files = files
        self._export = export
        self._lines = [] if export is None else list(export.lines())

    def explain(self, wanted: Wanted) -> dict[str, Any]:
        """Return the explanation of a declaration as plain JSON values."""
        explained: dict[str, Any] = {"kind": wanted.kind, "name": wanted.name, "at": wanted.at}
        explained["events"] = [self._event(index) for index in self._positions(wanted)]
        whole = self._export is not None and wanted.events is None
        missing = self._missing(wanted.at) if whole else ()
        explained["left_out"] = [part.as_dict() for part in missing]
        explained["warnings"] = list(self._warnings(self._heard.below(wanted.at)))
        explained["decisions"] = [
            {"at": question.at, **row.as_dict()}
            for question in self._heard.below(wanted.at)
            for row in self._heard.answers(question)
        ]
        return explained

    def warnings_about_everything(self) -> list[dict[str, Any]]:
        """Return the warnings that rows gave about no source or model, but about options."""
        return list(self._warnings(one for one in self._heard.questions if not _is_pointer(one.at)))

    def last_decision(self) -> dict[str, Any] | None:
        """Return the last decision of all; None where nothing was decided."""
        for question in reversed(self._heard.questions):
            for row in self._heard.answers(question):
                return {"at": question.at, **row.as_dict()}
        return None

    def _positions(self, wanted: Wanted) -> list[int]:
        if self._export is None:
            return []
        return [
            index
            for index, described in enumerate(self._export.described)
            if described.facts.at == wanted.at and (wanted.events is None or index in wanted.events)
        ]

    def _event(self, index: int) -> dict[str, Any]:
        assert self._export is not None  # noqa: S101 - positions are those of an export
        event, facts = orjson.loads(self._lines[index]), self._export.described[index].facts
        entity = event[facts.entity]
        parts = [*(self._dataset(facts.at, entity) if "dataset" in event else self._job(facts.at, event))]
        parts += [
            Part(f"/{facts.entity}/facets{part.at}", part.value, part.rows, part.left_out)
            for part in facet_parts(facts, entity["facets"], self._heard)
        ]
        return {
            "line": index + 1,
            "kind": event["schemaURL"].rpartition("/")[2],
            "namespace": entity["namespace"],
            "name": entity["name"],
            "parts": [part.as_dict() for part in parts],
        }

    def _dataset(self, at: str, dataset: dict[str, Any]) -> Iterator[Part]:
        rows = self._heard.rows(["datasets"], at)
        question = self._heard.last("datasets", at)
        key = question.decisions[0]["namespace"] if question is not None else ""
        yield Part("/dataset/namespace", dataset["namespace"], (*rows, *self._namespace(key)))
        named = (*self._heard.rows(DATASET, at), *self._texts(DATASET_TEXTS, at))
        yield Part("/dataset/name", dataset["name"], named)

    def _job(self, at: str, event: dict[str, Any]) -> Iterator[Part]:
        yield Part("/job/namespace", event["job"]["namespace"], self._namespace("job"))
        named = (*self._heard.rows(JOB, at), *self._texts(JOB_TEXTS, at))
        yield Part("/job/name", event["job"]["name"], named)
        reads = self._heard.rows(["jobs"], at)
        for index, dataset in enumerate(event.get("inputs", ())):
            yield Part(f"/inputs/{index}", dataset, (*reads, *self._declared(dataset)))
        if "inputs" not in event:
            yield left_out("/inputs", "it reads nothing", reads)
        for index, dataset in enumerate(event.get("outputs", ())):
            yield Part(f"/outputs/{index}", dataset, self._heard.rows(DATASET, at))
        if "outputs" not in event:
            yield left_out("/outputs", "it has no dataset", self._heard.rows(DATASET, at))

    def _missing(self, at: str) -> Iterator[Part]:
        """Yield the events that the declaration does not have. Only a model is ever asked about a job."""
        assert self._export is not None  # noqa: S101 - only of an export is it known what is missing
        made = {one.facts.entity for one in self._export.described if one.facts.at == at}
        for entity, tables in (("dataset", DATASET), ("job", JOB)):
            if entity not in made and self._heard.last(tables[-1], at) is not None:
                yield left_out(f"/{entity}", f"it has no {entity}", self._heard.rows(tables, at))

    def _namespace(self, key: str) -> tuple[RowPlace, ...]:
        return self._heard.rows(["namespace-selection"], key)

    def _texts(self, subjects: Collection[str], at: str) -> Iterator[RowPlace]:
        for question in (*self._heard.below("/project"), *self._heard.below(at)):
            if question.table == TEXTS and getattr(question.record, "subject", None) in subjects:
                yield from self._heard.answers(question)

    def _declared(self, dataset: dict[str, str]) -> tuple[RowPlace, ...]:
        """Return the rows that gave a dataset its identity, whoever declares it."""
        assert self._export is not None  # noqa: S101 - only an event has inputs
        for one in self._export.described:
            if one.facts.entity == "dataset" and dataset == {"namespace": one.namespace, "name": one.name}:
                return self._heard.rows(["datasets"], one.facts.at)
        return ()

    def _warnings(self, questions: Iterable[Question]) -> Iterator[dict[str, Any]]:
        """Yield the warnings that rows gave as answers, each with its row."""
        codes = self._files.rules.catalogue(CODES)
        for question in questions:
            for decision in question.decisions:
                code = decision.get("code")
                if code is not None and codes[code]["severity"] == "warning":
                    where, message = decision.get("location"), decision["message"](question.record)
                    location = question.at if where is None else where(question.record)
                    warning = Diagnostic(code, redact(message), location)
                    yield {**warning.as_dict(), "rows": [self._files.place_of(decision).as_dict()]}


def _is_pointer(at: str | None) -> bool:
    return at is not None and at.startswith("/")


def statements_of(explained: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Return the statements that any row of the explanations cites."""
    return cited(number for one in explained for number in _numbers(one))


def _numbers(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value.get("cites", ())
        for part in value.values():
            yield from _numbers(part)
    elif isinstance(value, list):
        for part in value:
            yield from _numbers(part)
