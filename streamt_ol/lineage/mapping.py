"""Facts and tables to events. Which process has which job, facet, input or warning is said by rows, not here.

Order of checks (section 6 of the project language): every dataset is registered, then described in the order
of identities, then every job in the order of model names; the first failure wins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamt_ol.ground.errors import Diagnostic
from streamt_ol.lineage.dependencies import job_inputs
from streamt_ol.lineage.descriptions import dataset_facts, job_facts
from streamt_ol.lineage.errors import JobCollisionError
from streamt_ol.lineage.facets import Facets
from streamt_ol.lineage.registry import register
from streamt_ol.lineage.standard import PRODUCER
from streamt_ol.lineage.texts import TextGate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.lineage.facts import DatasetFacts, JobFacts, ModelFacts, ProjectFacts, SourceFacts
    from streamt_ol.lineage.namespaces import Namespaces
    from streamt_ol.lineage.registry import Dataset, Registry
    from streamt_ol.lineage.schemas import OpenLineageSchemas

Event = dict[str, Any]


def needed_namespaces(project: ProjectFacts, rules: RuleSet) -> frozenset[str]:
    """Return the namespaces that the datasets of a project need."""
    datasets = rules.table("datasets")
    records: Iterable[SourceFacts | ModelFacts] = (*project.sources, *project.models)
    return frozenset(needed for record in records for needed in datasets.decide(record)["needs"])


class ProjectMapping:
    """The events of a project. What cannot be mapped raises an ExportError, the first failure wins."""

    def __init__(
        self,
        project: ProjectFacts,
        rules: RuleSet,
        schemas: OpenLineageSchemas,
        namespaces: Namespaces,
        event_time: str,
    ) -> None:
        self._gate = TextGate(rules)
        self._gate.admit("project_name", project.name, "/project/name", "the project's name")
        self._project = project
        self._namespaces = namespaces
        self._registry = register(project, rules, namespaces, self._gate)
        self._describer = _Describer(rules, schemas, event_time)

    @property
    def warnings(self) -> list[Diagnostic]:
        """The warnings that rows gave so far, unsorted."""
        return self._describer.warnings

    def events(self) -> Iterator[tuple[DatasetFacts | JobFacts, Event]]:
        """Yield every event with what it describes: datasets, then jobs, each in the order of identities.

        The events of datasets, which hold the columns, are built one at a time; those of jobs together.
        """
        yield from _datasets(self._project, self._registry, self._describer, self._gate)
        yield from _jobs(self._project, self._registry, self._describer, self._namespaces, self._gate)


class _Describer:
    """Facets, envelope and warnings of an entity, as the tables say."""

    def __init__(self, rules: RuleSet, schemas: OpenLineageSchemas, event_time: str) -> None:
        self.jobs = rules.table("jobs")
        self.columns = rules.table("columns")
        self.warnings: list[Diagnostic] = []
        self._facets = Facets(rules.table("facets"), schemas)
        self._warnings = rules.table("warnings")
        self._event_time = event_time
        self._event_urls = {kind: schemas.event_url(kind) for kind in ("DatasetEvent", "JobEvent")}

    def event(self, kind: str) -> Event:
        """Return the envelope of an event of a kind, such as `JobEvent`."""
        return {"eventTime": self._event_time, "producer": PRODUCER, "schemaURL": self._event_urls[kind]}

    def facets(self, facts: DatasetFacts | JobFacts) -> dict[str, Any]:
        """Return the facets of an entity; its warnings are kept."""
        for warning in self._warnings.decide_all(facts):
            self.warnings.append(
                Diagnostic(warning["code"], warning["message"](facts), warning["location"](facts))
            )
        return self._facets.of(facts)


def _datasets(
    project: ProjectFacts, registry: Registry, described: _Describer, gate: TextGate
) -> Iterator[tuple[DatasetFacts, Event]]:
    declared: list[tuple[Dataset, SourceFacts | ModelFacts]] = [
        *zip(registry.sources, project.sources, strict=True),
        *(
            (dataset, facts)
            for dataset, facts in zip(registry.models, project.models, strict=True)
            if dataset is not None
        ),
    ]
    declared.sort(key=lambda entry: entry[0].identity)
    for dataset, facts in declared:
        chosen = described.columns.decide(facts)
        columns = getattr(facts, chosen["from"])
        record = dataset_facts(facts, columns, chosen["location"](facts), gate)
        event = described.event("DatasetEvent")
        event["dataset"] = {**dataset.reference, "facets": described.facets(record)}
        yield record, event


def _jobs(
    project: ProjectFacts, registry: Registry, described: _Describer, namespaces: Namespaces, gate: TextGate
) -> list[tuple[JobFacts, Event]]:
    mapped: dict[str, tuple[JobFacts, Event]] = {}
    for facts in sorted(project.models, key=lambda model: model.name):
        row = described.jobs.decide(facts)
        if row.get("name") is None:
            continue
        name = row["name"](facts)
        inputs = job_inputs(facts, row, registry, namespaces)
        record = job_facts(facts, gate)
        if name in mapped:
            raise JobCollisionError(
                f"job '{name}' is already that of {mapped[name][0].at}", location=facts.at
            )
        event = described.event("JobEvent")
        event["job"] = {"namespace": namespaces["job"], "name": name, "facets": described.facets(record)}
        if inputs:
            event["inputs"] = [dataset.reference for dataset in inputs]
        output = registry.models[facts.position]
        if output is not None:
            event["outputs"] = [output.reference]
        mapped[name] = (record, event)
    return [mapped[name] for name in sorted(mapped)]
