"""A job submitted once, under an id that was chosen before, and seen to run.

By that id its cluster is asked what became of a submission whose answer is lost; nothing is ever submitted a
second time. The id is a random one: a cluster takes each only once, also when it has long forgotten the job.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from uuid import uuid4

from streamt_ol.deploy.providers.errors import OutcomeUnknownError, RequestRefusedError
from streamt_ol.deploy.providers.flink.jobs import (
    FINGERPRINT,
    RESOURCE,
    SHAPE,
    await_end,
    cancel,
    failure_of,
    has_ended,
    listed_jobs,
    state_of,
)
from streamt_ol.deploy.providers.flink.waiting import looks
from streamt_ol.deploy.providers.service_records import InDoubtError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.deploy.providers.flink.clusters import Cluster
    from streamt_ol.deploy.providers.flink.sql_gateway import Session
    from streamt_ol.deploy.providers.service_records import About

_JOB_ID: Final = "$internal.pipeline.job-id"
PARAMETERS: Final = "pipeline.global-job-parameters"
_RECOVERY: Final = "execution.state-recovery.path"
_SUBMISSION: Final = "the submission"


def marks(fingerprint: str, shape: str | None, resource_id: str) -> str:
    """Return the parameters that a job carries, as a map of Flink's configuration."""
    said = {FINGERPRINT: fingerprint, SHAPE: shape, RESOURCE: resource_id}
    return ",".join(f"{name}:{_quoted(text)}" for name, text in said.items() if text is not None)


def submit(
    cluster: Cluster,
    session: Session,
    insert: str,
    name: str,
    options: Mapping[str, str],
    path: str | None,
    about: About,
) -> str:
    """Submit a job with options of its own, from the state at a path if there is one, and return its id.

    Raises RequestRefusedError where it was not submitted, OutcomeUnknownError where nobody knows.
    """
    job_id = uuid4().hex
    config = {**options, _JOB_ID: job_id}
    if path is not None:
        config[_RECOVERY] = path
    operation: str | None = None
    refused: RequestRefusedError | None = None
    try:
        operation = session.submit(insert, config)
    except InDoubtError as doubt:
        told = doubt.refused.message if doubt.answered else "its answer was lost"
        if doubt.answered and isinstance(doubt.refused, RequestRefusedError):
            refused = doubt.refused
        return _settled(cluster, name, job_id, told, about, refused)
    if operation is None:
        return _settled(cluster, name, job_id, "its operation is not known", about)
    try:
        outcome = session.outcome(operation)
        if outcome is not None and outcome.done:
            return session.job_of(operation) or job_id
        if outcome is not None:
            refused = _refusal(cluster, name, session.cause(operation, outcome), about)
    except RequestRefusedError as error:
        return _settled(cluster, name, job_id, error.message, about)
    if refused is None:
        session.give_up(operation)
        late = f"its operation was not over within {cluster.bounds.statement:g} s"
        return _settled(cluster, name, job_id, late, about)
    # What submits asks again by itself where it got no answer, and takes the second refusal for its end.
    if _is_there(cluster, job_id, name, about):
        return job_id
    raise refused


def await_running(cluster: Cluster, job_id: str, name: str, about: About) -> None:
    """Wait until all tasks of a job run. One that fails until the time is up is cancelled.

    Raises RequestRefusedError where it does not run, OutcomeUnknownError where nobody knows.
    """
    table = cluster.rules.table("flink-job-states")
    seen = "it was not seen"
    for _look in looks(cluster.rules, cluster.bounds.running):
        try:
            job = next((one for one in listed_jobs(cluster, about) if one.id == job_id), None)
        except RequestRefusedError as error:
            seen = error.message
            continue
        if job is None:
            continue
        seen = f"it is {job.state}, and not all of its tasks run"
        start = table.match(job.state, name)["start"]
        if start == "reached" or (start == "by_tasks" and job.all_tasks_run):
            return
        if start == "failed":
            raise _not_started(cluster, job_id, name, f"it is {job.state}", about)
    if _reason(cluster, job_id, about) is None:
        reason = f"was not seen to run within {cluster.bounds.running:g} s: {seen}"
        raise cluster.failure("start_late", name, job_id, reason, about.secrets)
    end(cluster, job_id, name, about)
    raise _not_started(cluster, job_id, name, f"{seen}; it was cancelled", about)


def end(cluster: Cluster, job_id: str, name: str, about: About) -> None:
    """Cancel a job and see that it has ended; raises OutcomeUnknownError where that is not seen."""
    told = ""
    try:
        cancel(cluster, job_id, about)
    except (RequestRefusedError, InDoubtError) as error:
        told = f"{error}; "  # whether it ends all the same is what is looked at
    seen = await_end(cluster, job_id, name, about)
    if seen is not None:
        raise cluster.failure("cancellation", name, job_id, f"{told}{seen}", about.secrets)


def _settled(
    cluster: Cluster,
    name: str,
    job_id: str,
    reason: str,
    about: About,
    refused: RequestRefusedError | None = None,
) -> str:
    """Return the id of a job whose submission got no answer, as soon as its cluster knows it."""
    for _look in looks(cluster.rules, cluster.bounds.running):
        known = _known(cluster, job_id, about)
        if known:
            return job_id
        if known is None:
            refused = None  # nobody says that it is not there
    if refused is not None:
        raise refused
    raise cluster.failure("submission", name, job_id, reason, about.secrets)


def _known(cluster: Cluster, job_id: str, about: About) -> bool | None:
    """Return whether a cluster knows a job; None where it does not say."""
    try:
        return state_of(cluster, job_id, about) is not None
    except RequestRefusedError:
        return None


def _is_there(cluster: Cluster, job_id: str, name: str, about: About) -> bool:
    """Return whether a job was submitted and has not ended, although it is said that it was refused."""
    try:
        state = state_of(cluster, job_id, about)
    except RequestRefusedError as error:
        raise cluster.failure("submission", name, job_id, error.message, about.secrets) from None
    return not has_ended(cluster, name, state)


def _refusal(cluster: Cluster, name: str, reason: str, about: About) -> RequestRefusedError:
    failure = cluster.failure("statement", name, _SUBMISSION, reason, about.secrets)
    assert isinstance(failure, RequestRefusedError)  # noqa: S101 - by the table
    return failure


def _not_started(
    cluster: Cluster, job_id: str, name: str, otherwise: str, about: About
) -> RequestRefusedError | OutcomeUnknownError:
    reason = _reason(cluster, job_id, about)
    told = otherwise if reason is None else f"{reason} ({otherwise})"
    return cluster.failure("start", name, job_id, told, about.secrets)


def _reason(cluster: Cluster, job_id: str, about: About) -> str | None:
    """Return why a job failed last; None where nothing is told."""
    try:
        return failure_of(cluster, job_id, about)
    except RequestRefusedError:
        return None


def _quoted(text: str) -> str:
    """Return a text as a part of a map: in it, colons and commas have no meaning."""
    return "'" + text.replace("'", "''") + "'"
