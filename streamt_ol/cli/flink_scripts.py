"""What `streamt compile` shows of a project's Flink jobs: the SQL that would be submitted, without logins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from streamt_ol.compiler.artifact_files import FLINK_JOBS, sql_file
from streamt_ol.deploy.flink_sql.errors import FlinkExtraMissingError
from streamt_ol.ground.errors import Diagnostic
from streamt_ol.ground.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.compiler.artifacts import Artifact
    from streamt_ol.compiler.records import Graph
    from streamt_ol.deploy.flink_sql.records import JobDefinition
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.ground.watching import Watch

LEFT_OUT: Final = "W107_FLINK_SQL_LEFT_OUT"


class FlinkScripts(NamedTuple):
    """The SQL of all jobs by name, and what is told of it; neither where it cannot be read."""

    texts: Mapping[str, str]
    told: Sequence[Mapping[str, Any]]
    """A plain record of each job, without SQL."""
    warnings: Sequence[Diagnostic] = ()


def flink_scripts(
    artifacts: Mapping[str, Sequence[Artifact]], graph: Graph, rules: RuleSet, watch: Watch
) -> FlinkScripts:
    """Return the SQL of the Flink jobs of a project; a warning where what reads SQL is not installed."""
    jobs = artifacts[FLINK_JOBS]
    if not jobs:
        return FlinkScripts({}, ())
    from streamt_ol.deploy.flink_sql.job import job_definition
    from streamt_ol.deploy.flink_sql.script import job_script

    texts: dict[str, str] = {}
    told: list[Mapping[str, Any]] = []
    try:
        for number, artifact in enumerate(jobs):
            watch("Writing Flink SQL", number, len(jobs))
            definition = job_definition(artifact, graph, rules)
            texts[artifact.name] = job_script(definition, f"{artifact.owner_kind} {artifact.owner}")
            told.append(_told(definition))
    except FlinkExtraMissingError as error:
        message = f"the SQL of Flink jobs is left out: {error.message}"
        return FlinkScripts({}, (), (Diagnostic(LEFT_OUT, message, suggestion=error.suggestion),))
    return FlinkScripts(texts, told)


def _told(definition: JobDefinition) -> Mapping[str, Any]:
    return {
        "job": definition.name,
        "file": sql_file(definition.name),
        "definition": None if definition.blocked else definition.fingerprint,
        "complete": not definition.blocked,
        "problems": [
            {
                "code": problem.code,
                "blocks": problem.blocks,
                "message": redact(problem.message),
                "location": problem.at,
                "suggestion": redact(problem.remedy),
            }
            for problem in definition.problems
        ],
    }
