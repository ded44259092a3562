"""Flink jobs that are wanted, planned steps about them, and the provider that carries them out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from flink_answers import EXPLAINED
from flink_services_stand_in import FlinkStandIn
from service_bounds import rules_with

from streamt_ol.deploy.flink_sql.records import Column, JobDefinition, Table
from streamt_ol.deploy.providers.flink.job_plans import job_plan
from streamt_ol.deploy.providers.flink.provider import FlinkJobs
from streamt_ol.deploy.records import Action, Live, Surface, Wanted
from streamt_ol.engine.reading import Catalogue
from streamt_ol.engine.ruleset import RuleSet

NAME = "large"
RESOURCE = "streamt://shop/default/flink_job/large"
PASSWORD = "planted-kafka-'password"
KAFKA = {
    "bootstrap_servers": "broker.example:9092",
    "security_protocol": "SASL_PLAINTEXT",
    "sasl_mechanism": "PLAIN",
    "sasl_username": "ada",
    "sasl_password": PASSWORD,
}
OLD, NEW = f"sha256:{'a' * 64}", f"sha256:{'b' * 64}"
INSERT = "INSERT INTO `out` (`id`)\nSELECT id FROM orders"
BOUNDS = {"running_seconds": 20, "savepoint_seconds": 20, "statement_seconds": 20, "poll_milliseconds": 1}
"""Hardly a pause between two looks, and ends that only a failure meets."""


def table(name: str) -> Table:
    options = {"connector": "kafka", "topic": f"shop.{name}", "value.format": "json"}
    return Table(name, (Column("id", "STRING"),), options, "json")


def definition(fingerprint: str = NEW, insert: str = INSERT) -> JobDefinition:
    """Return a job that reads one topic and writes another."""
    return JobDefinition(
        name=NAME,
        cluster="mill",
        statements=("CREATE TEMPORARY TABLE `orders` ...", "CREATE TEMPORARY TABLE `out` ...", insert),
        settings={"parallelism.default": "2", "pipeline.name": NAME},
        fingerprint=fingerprint,
        problems=(),
        tables=(table("orders"), table("out")),
        insert=insert,
    )


def running(fingerprint: str | None = NEW, state: str = "running") -> Surface:
    """Return what there is of a job that runs."""
    return {"cluster": "mill", "state": state, "fingerprint": fingerprint}


def submission(restore: str = "none", savepoint: str | None = None, **more: Any) -> Action:
    """Return the step that submits the job where none runs."""
    return step("submit", None, restore, savepoint, **more)


def replacement(before: Surface | None = None, restore: str = "stopped", **more: Any) -> Action:
    """Return the step that stops the job with a savepoint, and submits it from there, if nothing else is said."""
    return step("update", before or running(OLD), restore, None, **more)


def shape(explained: str = EXPLAINED) -> str:
    """Return what a job says of its plan that Flink explains so."""
    made = job_plan(explained, definition(), bounded_rules()).shape
    assert made is not None
    return made


def step(action: str, before: Surface | None, restore: str, savepoint: str | None, **more: Any) -> Action:
    wanted = definition(**more)
    return Action(
        position=0,
        resource_id=RESOURCE,
        kind="flink_job",
        action=action,
        physical_name=NAME,
        before=before,
        after=running(wanted.fingerprint),
        cluster="mill",
        payload={"definition": wanted, "restore": {"restore": restore, "savepoint": savepoint}},
    )


def bounded_rules(**bounds: int) -> RuleSet:
    """Return the packaged rules with other bounds for Flink."""
    rules = rules_with()
    known = rules.catalogue("flink-bounds")
    entries = dict(known.entries)
    for name, limit in {**BOUNDS, **bounds}.items():
        entries[name] = {**entries[name], "limit": limit}
    changed = Catalogue(known.name, known.describes, known.fields, entries, known.file)
    return rules._replace(catalogues={**rules.catalogues, known.name: changed})


def provider(
    held: FlinkStandIn, *, settings: Mapping[str, Any] | None = None, kafka: Any = KAFKA, **bounds: int
) -> FlinkJobs:
    """Return the provider of a runtime with one cluster, `mill`."""
    cluster = {"rest_url": held.url, "sql_gateway_url": held.url, **(settings or {})}
    runtime = {"kafka": kafka, "flink": {"default": "mill", "clusters": {"mill": cluster}}}
    return FlinkJobs(runtime, bounded_rules(**bounds))


def failure_of(held: FlinkStandIn, action: Action, kind: type[Exception], **more: Any) -> Any:
    """Return the error of a step; whatever happened, no session is left open and nothing is sent twice."""
    with pytest.raises(kind) as caught:
        provider(held, **more).execute(action)
    assert held.sessions == {}
    assert len(held.inserts()) <= 1
    assert "planted" not in f"{caught.value!r} {caught.value}"
    return caught.value


def seen(held: FlinkStandIn, **more: Any) -> Live:
    """Return what there is of the job, as a provider of its own sees it."""
    return provider(held, **more).observe([Wanted(NAME, "mill")])[NAME]
