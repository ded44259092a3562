"""A job stopped with a savepoint, by a request with a name: however often it is sent, it is one savepoint.

That a savepoint is completed does not say that it was made, so what it says is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from streamt_ol.deploy.providers.errors import OutcomeUnknownError, RequestRefusedError
from streamt_ol.deploy.providers.flink.jobs import ABSENT, await_end, malformed, state_of
from streamt_ol.deploy.providers.flink.reasons import root_cause
from streamt_ol.deploy.providers.flink.waiting import looks
from streamt_ol.deploy.providers.service_records import InDoubtError

if TYPE_CHECKING:
    from streamt_ol.deploy.providers.flink.clusters import Cluster
    from streamt_ol.deploy.providers.flink.jobs import Job
    from streamt_ol.deploy.providers.service_records import About

_PROGRESS, _COMPLETED = "IN_PROGRESS", "COMPLETED"


def stopped_with_savepoint(cluster: Cluster, job: Job, about: About) -> str:
    """Stop a job and return where its savepoint is.

    Raises RequestRefusedError where it was not stopped, OutcomeUnknownError where nobody knows.
    """
    trigger = uuid4().hex
    doubt: InDoubtError | None = None
    try:
        content = {"drain": False, "triggerId": trigger}
        cluster.jobs.change("POST", f"jobs/{job.id}/stop", content, about)
    except InDoubtError as error:
        doubt = error
    try:
        operation = _operation(cluster, job, trigger, about)
    except RequestRefusedError as error:
        raise _unknown(cluster, job, error.message) from None
    if operation is None:
        if doubt is not None and doubt.answered:
            raise doubt.refused
        raise _unknown(cluster, job, "its cluster knows of no such request" if doubt else "it is forgotten")
    location = operation.get("location")
    if not isinstance(location, str) or not location:
        raise _refused(cluster, job, operation, about)
    seen = await_end(cluster, job.id, job.name, about)  # two jobs that write the same are not to run
    if seen is not None:
        raise _unknown(cluster, job, f"its savepoint is {location}, and {seen}")
    return location


def _operation(cluster: Cluster, job: Job, trigger: str, about: About) -> dict[str, Any] | None:
    """Return how the request ended; None where the cluster does not know it."""
    for _look in looks(cluster.rules, cluster.bounds.savepoint):
        told = cluster.jobs.question(f"jobs/{job.id}/savepoints/{trigger}", about, absent=ABSENT)
        if told is None:
            return None
        try:
            word, operation = told["status"]["id"], told.get("operation") or {}
        except (LookupError, TypeError, AttributeError):
            word, operation = None, {}
        if word not in (_PROGRESS, _COMPLETED) or not isinstance(operation, dict):
            raise malformed(cluster, about, "it answers with something else than the state of a savepoint")
        if word == _COMPLETED:
            return operation
    raise _unknown(cluster, job, f"that was not over within {cluster.bounds.savepoint:g} s")


def _refused(cluster: Cluster, job: Job, operation: dict[str, Any], about: About) -> Exception:
    failure = operation.get("failure-cause")
    trace = failure.get("stack-trace") if isinstance(failure, dict) else None
    reason = (root_cause(trace) if isinstance(trace, str) else None) or "Flink does not say why"
    try:
        state = state_of(cluster, job.id, about) or "forgotten"
    except RequestRefusedError:
        state = "not to be seen"
    return cluster.failure("savepoint", job.name, job.id, f"{reason}; the job is {state} now")


def _unknown(cluster: Cluster, job: Job, reason: str) -> OutcomeUnknownError:
    failure = cluster.failure("savepoint_late", job.name, job.id, reason)
    assert isinstance(failure, OutcomeUnknownError)  # noqa: S101 - by the table
    return failure
