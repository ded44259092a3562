"""Dataset identities of one export: every source and every model with an output has exactly one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from streamt_ol.lineage.errors import DatasetCollisionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamt_ol.compiler.records import Dependency
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.lineage.facts import ModelFacts, ProjectFacts, SourceFacts
    from streamt_ol.lineage.namespaces import Namespaces
    from streamt_ol.lineage.texts import TextGate


class Dataset(NamedTuple):
    """An identity and where it was declared; `reference` is its form as an input or output of a job."""

    namespace: str
    name: str
    at: str
    reference: dict[str, str]

    @property
    def identity(self) -> tuple[str, str]:
        """Return namespace and name: what sorts and tells datasets apart."""
        return self.namespace, self.name


class Registry(NamedTuple):
    """Datasets by position of their source or model; None where a model has none."""

    sources: Sequence[Dataset]
    models: Sequence[Dataset | None]

    def of(self, dependency: Dependency) -> Dataset | None:
        """Return the dataset that a dependency names."""
        return (self.sources if dependency.kind == "source" else self.models)[dependency.position]


def register(project: ProjectFacts, rules: RuleSet, namespaces: Namespaces, gate: TextGate) -> Registry:
    """Return all datasets, sources first; the first name or identity at fault is the error."""
    table = rules.table("datasets")
    taken: dict[tuple[str, str], str] = {}

    def dataset(facts: SourceFacts | ModelFacts) -> Dataset | None:
        decision = table.decide(facts)
        if decision["named"] == "none":
            return None
        namespace, name = namespaces[decision["namespace"]], getattr(facts, decision["named"])
        first = taken.setdefault((namespace, name), facts.at)
        if first != facts.at:
            raise DatasetCollisionError(
                f"dataset '{name}' in {namespace} is already declared at {first}", location=facts.at
            )
        return Dataset(namespace, name, facts.at, {"namespace": namespace, "name": name})

    registered_sources: list[Dataset] = []
    for source in project.sources:
        gate.admit("source_name", source.name, f"{source.at}/name", f"the name of source '{source.name}'")
        gate.admit(
            "source_topic",
            source.topic,
            f"{source.at}/topic",
            f"topic '{source.topic}' of source '{source.name}'",
        )
        made = dataset(source)
        if made is not None:
            registered_sources.append(made)
    registered_models: list[Dataset | None] = []
    for model in project.models:
        gate.admit("model_name", model.name, f"{model.at}/name", f"the name of model '{model.name}'")
        made = dataset(model)
        if made is not None:
            label = f"physical name '{made.name}' of model '{model.name}'"
            gate.admit("output_name", made.name, model.output_name_at, label)
        registered_models.append(made)
    return Registry(registered_sources, registered_models)
