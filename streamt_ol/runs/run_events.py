"""The RunEvents of one run of a finite command: START, and the one that ends it.

Source: section 5.2 of the runtime facts. Job, inputs and run are the same in every event of a run; which
facets there are, and how an outcome ends a run, is said by rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from streamt_ol.lineage.facets import Facets
from streamt_ol.lineage.standard import PRODUCER
from streamt_ol.runs.facts import CommandFacts, EndingFacts, RunEventFacts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.lineage.schemas import OpenLineageSchemas

Event = dict[str, Any]

NO_INPUTS = "none"
"""The word of the `commands` table for a command whose topics are no inputs."""


class RunJob(NamedTuple):
    """The job of a run, decided by the `commands` table."""

    facts: CommandFacts
    name: str
    input_namespace: str | None
    """The key of the namespace that its inputs are in; None for a job without inputs."""

    @classmethod
    def decided(cls, command: str, project: str, topics: Sequence[str], rules: RuleSet) -> RunJob:
        """Return the job of a command that consumes the topics."""
        facts = CommandFacts(command, command, "present" if topics else "absent", project)
        row = rules.table("commands").decide(facts)
        inputs = row["inputs"]
        return cls(facts, row["name"](facts), None if inputs == NO_INPUTS else inputs)


class RunEvents:
    """Makes the events of one run."""

    def __init__(
        self,
        job: RunJob,
        topics: Sequence[str],
        namespaces: Mapping[str, str],
        run_id: str,
        rules: RuleSet,
        schemas: OpenLineageSchemas,
    ) -> None:
        """Take sorted topics, each once, and every namespace that the job and its inputs need."""
        self._command = job.facts.command
        self._run_id = run_id
        self._outcomes = rules.table("outcomes")
        self._facets = Facets(rules.table("run-facets"), schemas)
        self._same: Event = {
            "job": _with_facets(
                {"namespace": namespaces["job"], "name": job.name}, self._facets.of(job.facts)
            ),
            "producer": PRODUCER,
            "schemaURL": schemas.event_url("RunEvent"),
        }
        if job.input_namespace is not None:
            inputs = namespaces[job.input_namespace]
            self._same["inputs"] = [{"namespace": inputs, "name": topic} for topic in topics]

    def start(self, time: str) -> Event:
        """Return START at a time as events have it."""
        return self._event("START", time)

    def ending(self, outcome: str, time: str) -> Event:
        """Return the event that ends the run; `outcome` is a word of the domain of outcomes."""
        facts = EndingFacts(f"{self._command}/{outcome}", self._command, outcome)
        return self._event(self._outcomes.decide(facts)["event"], time)

    def _event(self, kind: str, time: str) -> Event:
        facets = self._facets.of(RunEventFacts(f"{self._command}/{kind}", self._command, kind))
        run = _with_facets({"runId": self._run_id}, facets)
        return {"eventTime": time, "eventType": kind, "run": run, **self._same}


def serialized(event: Event) -> bytes:
    """Return an event as one line: UTF-8, sorted keys, no blanks, a line feed at the end."""
    return orjson.dumps(event, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


def _with_facets(entity: Event, facets: Event) -> Event:
    return {**entity, "facets": facets} if facets else entity
