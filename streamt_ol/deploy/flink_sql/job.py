"""The definition of a Flink job, from its artifact and the graph that it stands in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.deploy.canonical import checksum
from streamt_ol.deploy.flink_sql.continuous import test_parts
from streamt_ol.deploy.flink_sql.logins import note_incomplete_login
from streamt_ol.deploy.flink_sql.models import model_parts
from streamt_ol.deploy.flink_sql.records import JobDefinition
from streamt_ol.deploy.flink_sql.rendering import create_table
from streamt_ol.deploy.flink_sql.setting import setting_of
from streamt_ol.ground.pointer import tokens

if TYPE_CHECKING:
    from streamt_ol.compiler.artifacts import Artifact
    from streamt_ol.compiler.records import Graph
    from streamt_ol.deploy.flink_sql.models import Parts
    from streamt_ol.deploy.flink_sql.setting import Setting
    from streamt_ol.engine.ruleset import RuleSet


def job_definition(artifact: Artifact, graph: Graph, rules: RuleSet) -> JobDefinition:
    """Return the job that an artifact of the list `flink_jobs` describes.

    What a project says and Flink SQL cannot is among the problems; with one that blocks there are no
    statements. Raises FlinkExtraMissingError.
    """
    setting = setting_of(graph, artifact.name, rules)
    note_incomplete_login(graph.project.runtime, setting)
    parts = _parts(artifact, graph, setting)
    blocked = setting.troubles.block or not parts.insert
    statements = () if blocked else (*map(create_table, parts.tables), parts.insert)
    return JobDefinition(
        name=artifact.name,
        cluster=artifact.content.get("cluster"),
        statements=statements,
        settings=parts.settings,
        fingerprint=checksum({"statements": statements, "settings": parts.settings}),
        problems=setting.troubles.found,
        tables=parts.tables,
        insert=parts.insert,
        query_line=parts.query_line,
    )


def _parts(artifact: Artifact, graph: Graph, setting: Setting) -> Parts:
    position = int(list(tokens(artifact.at))[-1])
    if artifact.owner_kind == "test":
        test = graph.project.tests[position]
        return test_parts(test, artifact.at, graph, artifact.name, setting)
    return model_parts(graph.models[position], graph, artifact.name, setting)
