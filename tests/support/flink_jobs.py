"""Flink jobs of projects that a test writes: what a definition says, in the words of the tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from checked import compiled, packaged_rules

from streamt_ol.compiler.artifacts import build_artifacts
from streamt_ol.compiler.records import Graph
from streamt_ol.deploy.flink_sql.job import job_definition
from streamt_ol.deploy.flink_sql.records import JobDefinition
from streamt_ol.deploy.flink_sql.submission import statements_with_credentials

KAFKA = {"bootstrap_servers": "broker.example:9092"}
FLINK = {"default": "mill", "clusters": {"mill": {"rest_url": "http://flink.example:8081"}}}
ORDERS = {
    "name": "orders",
    "topic": "shop.orders",
    "columns": [
        {"name": "id", "type": "STRING"},
        {"name": "loaves", "type": "BIGINT"},
        {"name": "at", "type": "TIMESTAMP(3)"},
    ],
}
LARGE = {
    "name": "large",
    "materialized": "flink",
    "topic": {"name": "shop.large"},
    "sql": 'SELECT id, loaves FROM {{ source("orders") }} WHERE loaves > 10',
    "columns": [{"name": "id", "type": "STRING"}, {"name": "loaves", "type": "BIGINT"}],
}


def orders_table(job: str) -> str:
    """Return the statement with which a job reads `orders`."""
    return f"""\
CREATE TEMPORARY TABLE `orders` (
  `id` STRING,
  `loaves` BIGINT,
  `at` TIMESTAMP(3)
) WITH (
  'connector' = 'kafka',
  'topic' = 'shop.orders',
  'properties.bootstrap.servers' = 'broker.example:9092',
  'properties.group.id' = 'streamt/shop/default/{job}',
  'scan.startup.mode' = 'earliest-offset',
  'value.format' = 'json'
)"""


def graph_of(folder: Path, **document: Any) -> Graph:
    """Compile a project about `orders` and `large`, with a Flink cluster, and what the document says otherwise."""
    folder.mkdir(exist_ok=True)
    runtime = {"kafka": KAFKA, "flink": FLINK, **document.pop("runtime", {})}
    return compiled(folder, **{"sources": [ORDERS], "models": [LARGE], "runtime": runtime, **document})


def job_of(graph: Graph, name: str = "large") -> JobDefinition:
    """Return the definition of a job by its name."""
    rules = packaged_rules()
    artifacts = {one.name: one for one in build_artifacts(graph, rules)["flink_jobs"]}
    return job_definition(artifacts[name], graph, rules)


def large(folder: Path, *, source: dict[str, Any] | None = None, **model: Any) -> JobDefinition:
    """Return the job of `large`, declared otherwise; a key without a value is taken out, as is one of the source."""
    return job_of(
        graph_of(folder, sources=[changed(ORDERS, **source or {})], models=[changed(LARGE, **model)])
    )


def changed(entry: dict[str, Any], **values: Any) -> dict[str, Any]:
    return {key: value for key, value in {**entry, **values}.items() if value is not None}


def continuous(folder: Path, *assertions: dict[str, Any], **test: Any) -> JobDefinition:
    """Return the job of a test `fit` about `orders` with these assertions."""
    declared = {
        "name": "fit",
        "model": "orders",
        "type": "continuous",
        "assertions": list(assertions),
        **test,
    }
    return job_of(graph_of(folder, tests=[declared]), "test_fit")


def submitted(graph: Graph, name: str = "large") -> tuple[str, ...]:
    """Return the statements of a job with its logins."""
    return statements_with_credentials(job_of(graph, name), graph.project.runtime, packaged_rules())


def problems(job: JobDefinition) -> list[tuple[str, str]]:
    """Return the name and the place of each problem; no job with one that blocks has a statement."""
    assert job.blocked == (job.statements == ())
    return [(problem.code, problem.at) for problem in job.problems]


def columns(statement: str) -> list[str]:
    """Return the lines between the parentheses of a CREATE TABLE."""
    head, _, rest = statement.partition(" (\n")
    assert head.startswith("CREATE TEMPORARY TABLE "), statement
    return [line.strip().removesuffix(",") for line in rest.partition("\n) WITH (")[0].splitlines()]


def options(statement: str) -> dict[str, str]:
    """Return the options of a CREATE TABLE whose values have no line breaks."""
    lines = statement.partition(" WITH (\n")[2].removesuffix("\n)").splitlines()
    pairs = (line.strip().removesuffix(",").partition(" = ") for line in lines)
    return {key.strip("'"): value[1:-1].replace("''", "'") for key, _, value in pairs}
