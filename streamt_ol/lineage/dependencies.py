"""The inputs of a job: the datasets of a model's direct dependencies, if its process can have them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from streamt_ol.lineage.errors import (
    BoundInputError,
    DependencyCountError,
    DependencyNamespaceError,
    DependencyRepeatedError,
    DependencyWithoutDatasetError,
    InputIsOutputError,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamt_ol.engine.tables import Decision
    from streamt_ol.lineage.facts import ModelFacts
    from streamt_ol.lineage.namespaces import Namespaces
    from streamt_ol.lineage.registry import Dataset, Registry


def job_inputs(facts: ModelFacts, job: Decision, registry: Registry, namespaces: Namespaces) -> list[Dataset]:
    """Return the input datasets sorted by identity; errors point at the dependencies.

    `job` is the row of the `jobs` table: how many dependencies, from which namespace, bound to which names.
    """
    at = f"{facts.at}/dependencies"
    if job["dependencies"] == "exactly_one" and len(facts.dependencies) != 1:
        raise DependencyCountError(
            f"model '{facts.name}' has {len(facts.dependencies)} dependencies, its process reads exactly one",
            location=at,
        )
    inputs: list[Dataset] = []
    for dependency in facts.dependencies:
        dataset = registry.of(dependency)
        if dataset is None:
            raise DependencyWithoutDatasetError(
                f"model '{facts.name}' reads '{dependency.name}', which has no dataset", location=at
            )
        if job["reads"] != "any" and dataset.namespace != namespaces[job["reads"]]:
            raise DependencyNamespaceError(
                f"model '{facts.name}' reads '{dependency.name}' from {dataset.namespace}: "
                f"its process reads ordinary topics in {namespaces[job['reads']]} only",
                location=at,
            )
        inputs.append(dataset)
    _refuse_unbound(facts, job, inputs)
    inputs.sort(key=lambda dataset: dataset.identity)
    _refuse_shared(facts, inputs, registry.models[facts.position], at)
    return inputs


def _refuse_unbound(facts: ModelFacts, job: Decision, inputs: Sequence[Dataset]) -> None:
    """Refuse other names: a model with an alias beside a topic is read as the alias, but is the topic."""
    if "binds" in job.values and tuple(dataset.name for dataset in inputs) != facts.input_names:
        raise BoundInputError(
            f"model '{facts.name}' is bound to {', '.join(facts.input_names)}, "
            f"but the datasets of its dependencies are {', '.join(dataset.name for dataset in inputs)}",
            location=job["binds"](facts),
        )


def _refuse_shared(facts: ModelFacts, inputs: Sequence[Dataset], output: Dataset | None, at: str) -> None:
    for earlier, later in itertools.pairwise(inputs):
        if earlier.identity == later.identity:
            raise DependencyRepeatedError(
                f"model '{facts.name}' reads dataset '{later.name}' twice", location=at
            )
    if output is not None and any(dataset.identity == output.identity for dataset in inputs):
        raise InputIsOutputError(
            f"model '{facts.name}' would read and write dataset '{output.name}'", location=at
        )
