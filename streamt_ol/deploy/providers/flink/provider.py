"""Jobs on the Flink clusters of `runtime.flink`. Nothing is connected before the first question.

A job is known by its name, and says itself what it was made of. What was planned is carried out if what runs
is what it was planned with, compared right before anything is stopped or submitted (decision R4); before
that, Flink has explained the whole of the new job, so that SQL which it does not take stops nothing, and
neither does a job that could not go on from the state of the old one. A plan has it explained, too.
Source: section 4 of the runtime facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from streamt_ol.deploy.flink_sql.logins import login_secrets
from streamt_ol.deploy.flink_sql.submission import statements_with_credentials
from streamt_ol.deploy.providers.errors import OutcomeUnknownError, ProviderError, refusal, with_done
from streamt_ol.deploy.providers.flink.advising import advised, require_same_shape
from streamt_ol.deploy.providers.flink.clusters import cluster_of
from streamt_ol.deploy.providers.flink.explaining import UNASKED, explained, judged
from streamt_ol.deploy.providers.flink.facts import FLINK_NEEDS
from streamt_ol.deploy.providers.flink.jobs import (
    ENDED,
    FINGERPRINT,
    SHAPE,
    failure_of,
    has_ended,
    last_savepoint,
    listed_jobs,
    marks_of,
    newest,
    standing_of,
    state_of,
)
from streamt_ol.deploy.providers.flink.savepoints import stopped_with_savepoint
from streamt_ol.deploy.providers.flink.sql_gateway import opened
from streamt_ol.deploy.providers.flink.submitting import PARAMETERS, await_running, end, marks, submit
from streamt_ol.deploy.providers.service_records import About
from streamt_ol.deploy.records import Live
from streamt_ol.services.errors import ServiceError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.deploy.flink_sql.records import JobDefinition
    from streamt_ol.deploy.providers.flink.clusters import Cluster
    from streamt_ol.deploy.providers.flink.jobs import Job
    from streamt_ol.deploy.records import Action, Surface, Wanted
    from streamt_ol.engine.ruleset import RuleSet

SEVERAL: Final = "several"
_GOES_ON: Final = "stopped"
"""Of a restore: from the savepoint that a running job is stopped with."""


class _Found(NamedTuple):
    live: Live
    job: Job | None
    """The one job that has the name and has not ended."""
    shape: str | None = None
    """What that says of its plan."""


class FlinkJobs:
    """The provider of Flink jobs."""

    kind = "flink_job"

    def __init__(self, runtime: Mapping[str, Any], rules: RuleSet) -> None:
        rules.require(FLINK_NEEDS)
        self._runtime = runtime
        self._rules = rules
        self._submitted: dict[str, str] = {}
        """Resource id to the id of the job that an action submitted."""

    def observe(self, wanted: Sequence[Wanted]) -> dict[str, Live]:
        """Return what there is of jobs of these names; raises RequestRefusedError.

        A job that has ended is not there: as long as it is remembered, its verdict is `ended`. Where
        something else is wanted than what runs, Flink is asked what it makes of that.
        """
        found: dict[str, Live] = {}
        for alias in dict.fromkeys(one.cluster for one in wanted):
            cluster = cluster_of(self._runtime, alias, self._rules)
            jobs = listed_jobs(cluster, About("the list of its jobs"))
            for one in wanted:
                if one.cluster == alias:
                    found[one.physical_name] = self._judged(cluster, one, jobs)
        return found

    def _judged(self, cluster: Cluster, wanted: Wanted, jobs: Sequence[Job]) -> Live:
        name = wanted.physical_name
        found = self._found(cluster, name, jobs)
        definition: JobDefinition | None = (wanted.payload or {}).get("definition")
        stands = found.job is not None or found.live.surface is None
        if definition is None or not definition.statements or not stands:
            return found.live
        if found.live.surface == wanted.surface:
            return found.live
        about = About(f"job '{name}'", "explained", login_secrets(self._runtime))
        verdict, reason = judged(cluster, definition, found.shape, about)
        return found.live if verdict == UNASKED else found.live._replace(verdict=verdict, reason=reason)

    def execute(self, action: Action) -> str | None:
        """Submit a job as planned, and see that it runs; where it was planned so, stop its predecessor first.

        Returns where the savepoint of the predecessor is: nothing else tells for long.
        Raises ProviderError where it is known not to run, OutcomeUnknownError where nobody knows.
        """
        name, definition, restore = action.physical_name, _definition(action), _restore(action)
        cluster = cluster_of(self._runtime, action.cluster, self._rules)
        about = About(f"job '{name}'", "submitted", login_secrets(self._runtime))
        try:
            statements = statements_with_credentials(definition, self._runtime, self._rules)
        except ServiceError as error:
            raise refusal(error) from None
        path: str | None = restore["savepoint"]
        done: tuple[str, ...] = ()
        job_id: str | None = None
        try:
            with opened(cluster, name, about, definition.settings) as session:
                made = explained(session, definition, statements, self._rules)
                found = self._compared(cluster, action, about)
                if found.job is not None:
                    goes_on = restore["restore"] == _GOES_ON
                    if goes_on:
                        require_same_shape(cluster, name, found.shape, made.shape)
                    savepoint = stopped_with_savepoint(cluster, found.job, about._replace(asked="stopped"))
                    path = savepoint if goes_on else None
                    done = (f"stopped with savepoint {savepoint}",)
                said = marks(definition.fingerprint, made.shape, action.resource_id)
                options = {**made.options, PARAMETERS: said}
                job_id = submit(cluster, session, statements[-1], name, options, path, about)
            self._submitted[action.resource_id] = job_id
            await_running(cluster, job_id, name, about)
        except (ProviderError, OutcomeUnknownError) as error:
            if done or job_id is not None:
                raise advised(with_done(error, done), definition, path, self._rules) from None
            raise
        return "; ".join(done) or None

    def undo(self, action: Action) -> bool:
        """Cancel the job that the action submitted, and see that it has ended; raises like `execute`.

        What it wrote by then stays written, and where it was submitted from stays as it is. A job that was
        stopped for another one is not started again: False.
        """
        job_id = self._submitted.get(action.resource_id)
        if action.before is not None or job_id is None:
            return False
        cluster = cluster_of(self._runtime, action.cluster, self._rules)
        about = About(f"job '{action.physical_name}'", "cancelled")
        state = state_of(cluster, job_id, about)
        if not has_ended(cluster, action.physical_name, state):
            end(cluster, job_id, action.physical_name, about)
        return True

    def _compared(self, cluster: Cluster, action: Action, about: About) -> _Found:
        """Return what is there, with the job that is to be stopped. Refuse what was not planned for."""
        found = self._found(cluster, action.physical_name, listed_jobs(cluster, about))
        if found.live.surface != action.before:
            before, now = action.before or {}, found.live.surface or {}
            moved = tuple(key for key in ("state", "fingerprint") if before.get(key) != now.get(key)) or (
                "cluster",
            )
            raise cluster.jobs.failure("moved", "change", about, _told(found.live), fields=moved)
        return found

    def _found(self, cluster: Cluster, name: str, jobs: Sequence[Job]) -> _Found:
        named = [job for job in jobs if job.name == name]
        going = [job for job in named if not has_ended(cluster, name, job.state)]
        about = About(f"job '{name}'")
        if len(going) > 1:
            ids = ", ".join(sorted(f"{job.id} is {job.state}" for job in going))
            return _Found(Live(self.kind, name, _surface(cluster, SEVERAL, None), reason=ids), None)
        if going:
            (job,) = going
            said = marks_of(cluster, job.id, about)
            surface = _surface(cluster, standing_of(cluster, name, job.state), said.get(FINGERPRINT))
            return _Found(Live(self.kind, name, surface), job, said.get(SHAPE))
        if not named:
            return _Found(Live(self.kind, name, None), None)
        job = newest(named)
        path = last_savepoint(cluster, job.id, about)
        failure = failure_of(cluster, job.id, about)
        failed = "" if failure is None else f" (its last failure: {failure})"
        reason = f"it is {job.state}{failed}, and its cluster remembers no savepoint of it"
        if path is not None:
            reason = f"it is {job.state}{failed}, and its last savepoint is {path}"
        reason = cluster.jobs.without_secrets(reason, login_secrets(self._runtime))
        return _Found(Live(self.kind, name, None, ENDED, reason), None)


def _surface(cluster: Cluster, state: str, fingerprint: str | None) -> Surface:
    return {"cluster": cluster.name, "state": state, "fingerprint": fingerprint}


def _told(live: Live) -> str:
    """Return what is there, in words."""
    if live.surface is None:
        return live.reason or "there is none of that name"
    if live.surface["state"] == SEVERAL:
        return f"several have that name: {live.reason}"
    fingerprint = live.surface["fingerprint"] or "something that it does not say"
    return f"it is {live.surface['state']}, made of {fingerprint}"


def _definition(action: Action) -> JobDefinition:
    assert action.payload is not None  # noqa: S101 - a plan has what a submission takes
    definition: JobDefinition = action.payload["definition"]
    return definition


def _restore(action: Action) -> Mapping[str, Any]:
    assert action.payload is not None  # noqa: S101
    restore: Mapping[str, Any] = action.payload["restore"]
    return restore
