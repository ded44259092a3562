"""What a user can do about a job that does not go on: said before it is stopped, else in its error."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from streamt_ol.deploy.providers.flink.facts import FlinkAdviceFacts

if TYPE_CHECKING:
    from streamt_ol.deploy.flink_sql.records import JobDefinition
    from streamt_ol.deploy.providers.errors import Failure
    from streamt_ol.deploy.providers.flink.clusters import Cluster
    from streamt_ol.deploy.providers.flink.facts import Trouble
    from streamt_ol.engine.ruleset import RuleSet


def require_same_shape(cluster: Cluster, name: str, old: str | None, new: str | None) -> None:
    """Refuse to stop a job for one that could not go on from its state, or may not: RequestRefusedError."""
    if old is not None and old == new:
        return
    trouble: Trouble = "shape" if old and new else "shape_unread" if new is None else "shape_unsaid"
    raise cluster.failure(trouble, name, shlex.quote(name), "")


def advised(error: Failure, definition: JobDefinition, path: str | None, rules: RuleSet) -> Failure:
    """Say in an error how to go on from the state that the job has, or without one; return it."""
    name = definition.name
    job = shlex.quote(name)
    topics = [table.options["topic"] for table in definition.tables if "topic" in table.options]
    going_on = shlex.quote(f"{name}={path}")
    facts = FlinkAdviceFacts(
        at=name,
        path=path or "",
        job=job,
        going_on=going_on,
        topics=", ".join(f"'{topic}'" for topic in topics),
        option=f"--flink-fresh {job}" if path is None else f"--flink-from {going_on}",
    )
    advice = rules.table("flink-advice").match(error.message, name)["advice"](facts)
    error.reword(f"{error.message}; {advice}")
    return error
