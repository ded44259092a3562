"""Jobs as the JobManager tells them.

Source: the public reference of Flink's REST interface. `/jobs/overview` and `/jobs/ID/status` are what is so
now; other answers about a job may be some seconds old, and are asked only for what does not change.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from streamt_ol.deploy.providers.errors import RequestRefusedError
from streamt_ol.deploy.providers.flink.reasons import root_cause
from streamt_ol.deploy.providers.flink.waiting import looks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.deploy.providers.flink.clusters import Cluster
    from streamt_ol.deploy.providers.service_records import About

ENDED: Final = "ended"
"""The standing of a job that is over."""
FINGERPRINT: Final = "streamt.fingerprint"
"""The parameter of a job that says what it was made of."""
RESOURCE: Final = "streamt.resource"
"""The parameter that says for whom, for people who look at the cluster."""
SHAPE: Final = "streamt.shape"
"""The parameter that says what of its plan must stay for another job to go on from its state."""
ABSENT: Final = frozenset({HTTPStatus.NOT_FOUND})
"""What is answered about a job or a request that a cluster does not know, or not any more."""


class Job(NamedTuple):
    """One job of a cluster."""

    id: str
    name: str
    state: str
    """A word of Flink: `RUNNING`."""
    started: int
    """Milliseconds since 1970."""
    all_tasks_run: bool


def listed_jobs(cluster: Cluster, about: About) -> tuple[Job, ...]:
    """Return the jobs of a cluster, ended ones too, as long as it remembers them.

    Raises RequestRefusedError.
    """
    told = cluster.jobs.question("jobs/overview", about)
    try:
        return tuple(_job(one) for one in told["jobs"])
    except (KeyError, TypeError, ValueError):
        pass
    raise malformed(cluster, about, "it answers with something else than its jobs")


def state_of(cluster: Cluster, job_id: str, about: About) -> str | None:
    """Return the state of a job now, None where there is none of that id; raises RequestRefusedError."""
    told = cluster.jobs.question(f"jobs/{job_id}/status", about, absent=ABSENT)
    if told is None:
        return None
    if isinstance(told, dict) and isinstance(told.get("status"), str):
        return str(told["status"])
    raise malformed(cluster, about, "it answers with something else than the state of a job")


def standing_of(cluster: Cluster, name: str, state: str) -> str:
    """Return what the state of a job means for plans: `running`, `ended` or another word of the table."""
    standing: str = cluster.rules.table("flink-job-states").match(state, name)["standing"]
    return standing


def has_ended(cluster: Cluster, name: str, state: str | None) -> bool:
    """Return whether a job is over in a state, or not there at all: None."""
    return state is None or standing_of(cluster, name, state) == ENDED


def await_end(cluster: Cluster, job_id: str, name: str, about: About) -> str | None:
    """Wait until a job has ended, and return None; where that is not seen in time, what was seen instead."""
    seen = ""
    for _look in looks(cluster.rules, cluster.bounds.running):
        try:
            state = state_of(cluster, job_id, about)
        except RequestRefusedError as error:
            seen = error.message
            continue
        if has_ended(cluster, name, state):
            return None
        seen = f"it is {state} still"
    return seen


def marks_of(cluster: Cluster, job_id: str, about: About) -> Mapping[str, str]:
    """Return what a job says of itself; nothing for one that says nothing, or is gone by now."""
    told = cluster.jobs.question(f"jobs/{job_id}/config", about, absent=ABSENT)
    if told is None:
        return {}
    try:
        said = told["execution-config"].get("user-config") or {}
        return {name: said[name] for name in (FINGERPRINT, SHAPE) if isinstance(said.get(name), str)}
    except (KeyError, TypeError, AttributeError):
        raise malformed(cluster, about, "it answers with something else than the settings of a job") from None


def last_savepoint(cluster: Cluster, job_id: str, about: About) -> str | None:
    """Return where the last savepoint of a job is, as far as its cluster remembers."""
    told = cluster.jobs.question(f"jobs/{job_id}/checkpoints", about, absent=ABSENT)
    try:
        path = ((told or {}).get("latest") or {}).get("savepoint") or {}
        found = path.get("external_path")
    except AttributeError:
        return None
    return found if isinstance(found, str) else None


def failure_of(cluster: Cluster, job_id: str, about: About) -> str | None:
    """Return the root cause of the last failure of a job; None where none is told."""
    told = cluster.jobs.question(f"jobs/{job_id}/exceptions", about, absent=ABSENT)
    try:
        entries = ((told or {}).get("exceptionHistory") or {}).get("entries") or []
        traces = [entry["stacktrace"] for entry in entries] or [(told or {}).get("root-exception") or ""]
    except (AttributeError, KeyError, TypeError):
        return None
    return next((root_cause(trace) for trace in traces if isinstance(trace, str) and trace), None)


def cancel(cluster: Cluster, job_id: str, about: About) -> None:
    """Ask for the end of a job; raises RequestRefusedError and InDoubtError."""
    cluster.jobs.change("PATCH", f"jobs/{job_id}?mode=cancel", None, about)


def malformed(cluster: Cluster, about: About, reason: str) -> Exception:
    """Return the error for an answer that is not what is documented."""
    return cluster.jobs.failure("malformed", "question", about, reason)


def newest(jobs: Sequence[Job]) -> Job:
    """Return the job that was started last."""
    return max(jobs, key=lambda job: (job.started, job.id))


def _job(told: Any) -> Job:
    tasks = told["tasks"]
    going = tasks["running"] + tasks["finished"]
    if not isinstance(told["jid"], str) or not told["jid"].isalnum():
        raise ValueError
    return Job(
        id=told["jid"],
        name=str(told["name"]),
        state=str(told["state"]),
        started=int(told["start-time"]),
        all_tasks_run=going == tasks["total"] > 0,
    )
