"""The jobs of Flink clusters, as their REST interface tells them: `GET /jobs/overview`.

One request per cluster and run, bounded in time and size. Source: section 8 of the project language.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamt_ol.checks.continuous_tests import Job
from streamt_ol.checks.flink_errors import (
    FlinkAnswerError,
    FlinkError,
    FlinkLoginError,
    FlinkNotConfiguredError,
    FlinkTlsError,
    FlinkUnreachableError,
)
from streamt_ol.ground.pointer import pointer
from streamt_ol.project.coerce import as_int
from streamt_ol.services.connection_errors import said_of
from streamt_ol.services.http_service import HttpService, MalformedAnswerError, NoAnswerError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.services.http_service import Answer

_SUCCESS = 200
_REFUSED = frozenset({401, 403})


class FlinkClusters:
    """Asks the clusters of a runtime, each once; what one said, or why it did not, holds for the run."""

    def __init__(self, runtime: Mapping[str, Any], rules: RuleSet) -> None:
        self._clusters: Mapping[str, Any] = (runtime.get("flink") or {}).get("clusters") or {}
        self._rules = rules
        limits = rules.catalogue("test-limits")
        self._usual_seconds: int = limits["flink_seconds"]["limit"]
        self._most_bytes: int = limits["flink_bytes"]["limit"]
        self._told: dict[str, tuple[Job, ...] | FlinkError] = {}

    def jobs(self, cluster: str | None) -> tuple[Job, ...]:
        """Return the jobs of a cluster, ended ones too, as long as it remembers them; raises a FlinkError."""
        if cluster is None:
            raise FlinkNotConfiguredError(
                "no Flink cluster is named, and none is the default",
                location="/runtime/flink",
                suggestion="set `default` of `runtime.flink`, or `flink_cluster` of the test",
            )
        if cluster not in self._told:
            try:
                self._told[cluster] = self._ask(cluster)
            except FlinkError as error:
                self._told[cluster] = error
        told = self._told[cluster]
        if isinstance(told, FlinkError):
            raise told.with_traceback(None)
        return told

    def _ask(self, cluster: str) -> tuple[Job, ...]:
        settings = self._clusters.get(cluster) or {}
        at = pointer("runtime", "flink", "clusters", cluster)
        timeout = settings.get("timeout")
        seconds = as_int(timeout) if timeout else self._usual_seconds
        service = HttpService(settings, key="rest_url")
        try:
            answer = service.ask("GET", "jobs/overview", seconds=seconds, most=self._most_bytes)
        except NoAnswerError as error:
            failure = _unanswered(error, f"cluster '{cluster}'", service.where, at, seconds, self._rules)
        else:
            return _jobs(answer, cluster, at)
        raise failure


def _unanswered(
    error: NoAnswerError, cluster: str, where: str, at: str, seconds: int, rules: RuleSet
) -> FlinkError:
    if error.trouble == "address":
        return FlinkNotConfiguredError(
            f"{cluster} has no rest_url with http:// or https://",
            location=at,
            suggestion="set `rest_url` of the cluster to the address of its JobManager's REST interface",
        )
    if error.trouble == "certificate_file":
        return FlinkTlsError(f"a certificate or key for {cluster} cannot be used", location=at)
    reason, helps = said_of(error.cause, at, rules)
    named = f"{cluster}{where}"
    if error.trouble == "tls":
        text = f"no TLS connection to {named} came about: {reason}"
        return FlinkTlsError(text, location=at, suggestion=helps)
    if error.trouble == "unreachable":
        text = f"{named} cannot be connected to: {reason}"
        return FlinkUnreachableError(text, location=at, suggestion=helps)
    text = (
        f"{named} does not answer within {seconds} s" if error.late else f"{named} does not answer: {reason}"
    )
    if error.trouble == "protocol":
        return FlinkAnswerError(text, location=at, suggestion=helps)
    return FlinkUnreachableError(text, location=at, suggestion=helps)


def _jobs(answer: Answer, cluster: str, at: str) -> tuple[Job, ...]:
    if answer.status in _REFUSED:
        text = f"cluster '{cluster}' refuses the login with status {answer.status}"
        raise FlinkLoginError(text, location=at)
    if answer.status != _SUCCESS:
        raise FlinkAnswerError(f"cluster '{cluster}' answers with status {answer.status}", location=at)
    if answer.body is None:
        raise FlinkAnswerError(f"cluster '{cluster}' answers with more than is read", location=at)
    try:
        return tuple(
            Job(str(job["name"]), str(job["state"]), int(job["start-time"])) for job in answer.json()["jobs"]
        )
    except (MalformedAnswerError, ValueError, TypeError, KeyError):
        pass
    raise FlinkAnswerError(f"cluster '{cluster}' answers with something else than its jobs", location=at)
