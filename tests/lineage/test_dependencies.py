"""Inputs that compile rules out, and that the mapping refuses all the same: it trusts nobody."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from streamt_ol.compiler.compiling import compile_project
from streamt_ol.engine.ruleset import load_rules
from streamt_ol.ground.resources import rules_folder
from streamt_ol.lineage.dependencies import job_inputs
from streamt_ol.lineage.errors import (
    BoundInputError,
    DependencyCountError,
    DependencyRepeatedError,
    DependencyWithoutDatasetError,
    ExportError,
    InputIsOutputError,
)
from streamt_ol.lineage.facts import ProjectFacts
from streamt_ol.lineage.projection import project_facts
from streamt_ol.lineage.registry import Dataset, Registry, register
from streamt_ol.lineage.texts import TextGate
from streamt_ol.project.load import load_project

RULES = load_rules(rules_folder())
NAMESPACES = {"job": "jobs", "kafka": "kafka://b:1", "gateway": "kafka://g:1"}
PROJECT = {
    "apiVersion": "streamt.dev/v1alpha1",
    "project": {"name": "p"},
    "runtime": {"kafka": {"bootstrap_servers": "b:1"}, "conduktor": {"gateway": {"proxy_bootstrap": "g:1"}}},
    "sources": [{"name": "a", "topic": "ta"}, {"name": "b", "topic": "tb"}],
    "models": [
        {"name": "m", "materialized": "flink", "from": [{"source": "a"}, {"source": "b"}]},
        {"name": "v", "materialized": "virtual_topic", "from": [{"source": "a"}]},
    ],
}


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> ProjectFacts:
    folder: Path = tmp_path_factory.mktemp("project")
    (folder / "stream_project.yml").write_text(yaml.safe_dump(PROJECT), "utf-8")
    kinds = [str(kind) for kind in RULES.vocabulary.domains["materialization"]]
    loaded = load_project(folder, environment=None, process_environment={}, materializations=kinds)
    return project_facts(compile_project(loaded.project, RULES))


@pytest.fixture
def registry(facts: ProjectFacts) -> Registry:
    return register(facts, RULES, NAMESPACES, TextGate(RULES))


def inputs(facts: ProjectFacts, registry: Registry, position: int, **changed: object) -> list[Dataset]:
    model = facts.models[position]
    row = RULES.table("jobs").decide(model)
    return job_inputs(model._replace(**changed), row, registry, NAMESPACES)


def refusal(error: type[ExportError], *arguments: object, **changed: object) -> tuple[str, str | None]:
    with pytest.raises(error) as caught:
        inputs(*arguments, **changed)
    return caught.value.message, caught.value.location


def test_the_inputs_are_the_datasets_of_the_dependencies(facts: ProjectFacts, registry: Registry) -> None:
    assert [dataset.identity for dataset in inputs(facts, registry, 0)] == [
        ("kafka://b:1", "ta"),
        ("kafka://b:1", "tb"),
    ]


def test_two_dependencies_on_one_dataset_are_refused(facts: ProjectFacts, registry: Registry) -> None:
    same = Registry([registry.sources[0], registry.sources[0]], registry.models)

    assert refusal(DependencyRepeatedError, facts, same, 0) == (
        "model 'm' reads dataset 'ta' twice",
        "/models/0/dependencies",
    )


def test_a_dataset_that_is_read_and_written_is_refused(facts: ProjectFacts, registry: Registry) -> None:
    own = Registry(registry.sources, [registry.sources[1], None])

    assert refusal(InputIsOutputError, facts, own, 0) == (
        "model 'm' would read and write dataset 'tb'",
        "/models/0/dependencies",
    )


def test_a_dependency_without_dataset_is_refused(facts: ProjectFacts, registry: Registry) -> None:
    dependency = facts.models[0].dependencies[0]._replace(kind="ref", name="m", position=0)

    assert refusal(
        DependencyWithoutDatasetError,
        facts,
        Registry(registry.sources, [None, None]),
        0,
        dependencies=(dependency,),
    ) == ("model 'm' reads 'm', which has no dataset", "/models/0/dependencies")


def test_a_process_that_reads_one_dataset_refuses_none_and_two(
    facts: ProjectFacts, registry: Registry
) -> None:
    both = facts.models[0].dependencies

    assert refusal(DependencyCountError, facts, registry, 1, dependencies=())[0].startswith("model 'v' has 0")
    assert refusal(DependencyCountError, facts, registry, 1, dependencies=both)[0].startswith(
        "model 'v' has 2"
    )


def test_a_process_bound_to_another_name_than_its_dataset_is_refused(
    facts: ProjectFacts, registry: Registry
) -> None:
    assert refusal(BoundInputError, facts, registry, 1, input_names=("alias",)) == (
        "model 'v' is bound to alias, but the datasets of its dependencies are ta",
        "/models/1/gateway/physical_input",
    )
