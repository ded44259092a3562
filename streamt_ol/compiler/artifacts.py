"""What a compiled project consists of on the systems it runs on: one artifact per thing to deploy.

Which artifacts a model has and what they are called is decided by the table `artifacts`; what each of them
says is here. Source: section 5.3 of the project language, section 1.2 of the facts about plan and apply.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from streamt_ol.compiler.connectors import connection_config, decided_keys
from streamt_ol.compiler.declared_artifacts import dead_letter_topics, schemas, test_jobs
from streamt_ol.compiler.errors import CompileError
from streamt_ol.compiler.topic_settings import topic_content

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from streamt_ol.compiler.records import CompiledModel, Graph
    from streamt_ol.engine.reading import Catalogue
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.project.records import Raw

KINDS = ("schemas", "topics", "flink_jobs", "connectors", "gateway_rules")
"""The lists of a manifest, in the order of a deployment. A table may add others behind them."""

WITHHELD = frozenset({"config", "sql", "definition", "assertions"})
"""Parts of artifacts that are not shown: people write passwords into settings, SQL and comments."""


class ArtifactCollisionError(CompileError):
    """Two artifacts of one kind have one name: one would replace the other."""

    code = "E136_ARTIFACT_COLLISION"


@dataclass(frozen=True, slots=True)
class Artifact:
    """One thing to deploy; `at` is where the project declares it."""

    kind: str
    name: str
    owner_kind: str
    """`source`, `model` or `test`."""
    owner: str
    at: str
    content: Mapping[str, Any] = field(repr=False)

    def document(self) -> dict[str, Any]:
        """Return the artifact as plain JSON values. It may hold secrets."""
        return {
            "name": self.name,
            "owner": {"kind": self.owner_kind, "name": self.owner},
            **self.content,
        }

    def redacted(self) -> dict[str, Any]:
        """Return the artifact as it may be shown: of what may hold secrets, only keys."""
        return {key: _struck(part) if key in WITHHELD else part for key, part in self.document().items()}


def build_artifacts(graph: Graph, rules: RuleSet) -> dict[str, list[Artifact]]:
    """Return the artifacts of a project by kind, each kind in the order of names.

    Raises `ArtifactCollisionError` for two artifacts of one name. A dead-letter topic that is declared
    otherwise, or by several tests, is one topic.
    """
    made: dict[str, dict[str, Artifact]] = {kind: {} for kind in KINDS}
    for artifact in _all(graph, rules):
        known = made.setdefault(artifact.kind, {}).setdefault(artifact.name, artifact)
        if known is not artifact:
            raise ArtifactCollisionError(
                f"{artifact.owner_kind} '{artifact.owner}' compiles to the same '{artifact.name}' "
                f"({artifact.kind}) as {known.owner_kind} '{known.owner}'",
                location=artifact.at,
            )
    project = graph.project
    for name, position in dead_letter_topics(project).items():
        test = project.tests[position]["name"]
        letter = Artifact("topics", name, "test", test, f"/tests/{position}", topic_content(project, {}))
        made["topics"].setdefault(name, letter)
    return {kind: [of_kind[name] for name in sorted(of_kind)] for kind, of_kind in made.items()}


def _all(graph: Graph, rules: RuleSet) -> Iterator[Artifact]:
    project = graph.project
    for position, subject, content in schemas(project):
        source = project.sources[position]
        yield Artifact("schemas", subject, "source", source.name, f"/sources/{position}", content)
    classes = rules.catalogue("connectors")
    for model in graph.models:
        for kind, name in model.artifacts.items():
            describe = _DESCRIBED.get(kind)
            content = describe(graph, model, classes) if describe else {}
            yield Artifact(kind, name, "model", model.declared.name, model.at, content)
    for position, name, content in test_jobs(graph):
        yield Artifact(
            "flink_jobs", name, "test", project.tests[position]["name"], f"/tests/{position}", content
        )


def _struck(value: Any) -> Any:
    if isinstance(value, dict):
        return dict.fromkeys(value, "***")
    if isinstance(value, list):
        return [_struck(item) for item in value]
    return None if value is None else "***"


def _topic(graph: Graph, model: CompiledModel, _classes: Catalogue) -> Raw:
    return topic_content(graph.project, model.declared.raw.get("topic") or {})


def _flink_job(graph: Graph, model: CompiledModel, _classes: Catalogue) -> Raw:
    raw = model.declared.raw
    return {
        "sql": model.sql,
        "cluster": raw.get("flink_cluster") or (graph.project.runtime.get("flink") or {}).get("default"),
        "inputs": [dependency.name for dependency in model.dependencies],
        "output_topic": model.output_name,
        "options": raw.get("flink") or {},
    }


def _connector(graph: Graph, model: CompiledModel, classes: Catalogue) -> Raw:
    raw = model.declared.raw
    decided = decided_keys(model, classes)
    return {
        "class": decided["connector.class"],
        "topics": list(model.input_names),
        "cluster": raw.get("connect_cluster") or (graph.project.runtime.get("connect") or {}).get("default"),
        "config": {**connection_config(graph.project, model), **(raw["sink"].get("config") or {}), **decided},
    }


def _gateway_rule(_graph: Graph, model: CompiledModel, _classes: Catalogue) -> Raw:
    raw = model.declared.raw
    block = (raw.get("gateway") or {}).get("virtual_topic") or {}
    policies = (raw.get("security") or {}).get("policies") or ()
    masks = [policy["mask"] for policy in policies if "mask" in policy]
    return {
        "virtual_topic": model.virtual_name,
        "physical_topic": model.input_names[0],
        "sql": model.sql,
        "compression": block.get("compression"),
        "interceptors": [
            {
                "name": f"{model.virtual_name}_mask_{number}",
                "type": "mask",
                "column": mask["column"],
                "method": mask["method"],
                "for_roles": mask.get("for_roles") or [],
            }
            for number, mask in enumerate(masks)
        ],
    }


_DESCRIBED: Mapping[str, Callable[[Graph, CompiledModel, Catalogue], Raw]] = {
    "topics": _topic,
    "flink_jobs": _flink_job,
    "connectors": _connector,
    "gateway_rules": _gateway_rule,
}
