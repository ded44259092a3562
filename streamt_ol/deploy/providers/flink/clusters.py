"""The clusters of a runtime: the REST interface of each JobManager, and its SQL Gateway."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from streamt_ol.deploy.providers.errors import OutcomeUnknownError, RequestRefusedError
from streamt_ol.deploy.providers.flink.facts import FlinkClusterFacts, FlinkFailure, flink_bound
from streamt_ol.deploy.providers.flink.reasons import told_by_flink
from streamt_ol.deploy.providers.service import Service
from streamt_ol.deploy.providers.service_facts import service_bound
from streamt_ol.deploy.providers.service_records import About
from streamt_ol.ground.pointer import pointer
from streamt_ol.project.coerce import as_int

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamt_ol.deploy.providers.flink.facts import Trouble
    from streamt_ol.engine.ruleset import RuleSet

AT = "/runtime/flink"
_REST, _SQL = "rest_url", "sql_gateway_url"


class Bounds(NamedTuple):
    """How long is waited, in seconds."""

    request: float
    attempts: int
    statement: float
    savepoint: float
    running: float


class Cluster(NamedTuple):
    """One cluster."""

    name: str
    """Its alias in the runtime."""
    jobs: Service
    sql: Service
    closing: Service
    """The same gateway, for what is asked of it on the way out."""
    bounds: Bounds
    rules: RuleSet

    def failure(
        self, trouble: Trouble, name: str, what: str, reason: str, secrets: Sequence[str] = ()
    ) -> RequestRefusedError | OutcomeUnknownError:
        """Return the error for a step of a job that failed, by the table `flink-failures`."""
        facts = FlinkFailure(
            at=pointer("runtime", "flink", "clusters", self.name),
            service=self.sql.called,
            trouble=trouble,
            what=what,
            name=name,
            reason=self.sql.without_secrets(reason, secrets),
        )
        decision = self.rules.table("flink-failures").decide(facts)
        message = decision["message"](facts)
        if decision["result"] == "unknown":
            return OutcomeUnknownError(message)
        return RequestRefusedError(decision["code"], message)


def cluster_of(runtime: Mapping[str, Any], alias: str | None, rules: RuleSet) -> Cluster:
    """Return a cluster; nothing is connected. Raises RequestRefusedError for one that cannot be spoken to."""
    clusters = (runtime.get("flink") or {}).get("clusters") or {}
    if alias is None or alias not in clusters:
        what = "no Flink cluster is named, and none is the default"
        raise RequestRefusedError(
            "E208_MISSING_CONFIG",
            what if alias is None else f"the runtime has no Flink cluster '{alias}'",
            location=AT,
            suggestion="set `default` there, name a cluster in the model, and give each a `rest_url`",
        )
    settings = clusters[alias] or {}
    at = pointer("runtime", "flink", "clusters", alias)
    _require_spoken(settings, alias, at, rules)
    bounds = Bounds(
        request=_limit(settings, "timeout", service_bound(rules, "request_seconds")),
        attempts=_limit(settings, "retries", service_bound(rules, "attempts")),
        statement=_limit(settings, "statement_timeout", flink_bound(rules, "statement_seconds")),
        savepoint=flink_bound(rules, "savepoint_seconds"),
        running=flink_bound(rules, "running_seconds"),
    )

    def service(name: str, called: str, key: str, seconds: float, attempts: int) -> Service:
        return Service(
            name,
            called,
            at,
            settings,
            rules,
            key=key,
            reason=told_by_flink,
            seconds=seconds,
            attempts=attempts,
        )

    gateway = f"the SQL Gateway of Flink cluster '{alias}'"
    closing = min(bounds.request, flink_bound(rules, "close_seconds"))
    cluster = Cluster(
        name=alias,
        jobs=service("flink", f"Flink cluster '{alias}'", _REST, bounds.request, bounds.attempts),
        sql=service("sql_gateway", gateway, _SQL, bounds.request, bounds.attempts),
        closing=service("sql_gateway", gateway, _SQL, closing, 1),
        bounds=bounds,
        rules=rules,
    )
    for key, asked in ((_REST, cluster.jobs), (_SQL, cluster.sql)):
        if not settings.get(key):  # found when a plan is made, not when a job is to be stopped
            raise asked.failure("not_configured", "question", About("a Flink job"), setting=key)
    return cluster


def _require_spoken(settings: Mapping[str, Any], alias: str, at: str, rules: RuleSet) -> None:
    kind = str(settings.get("type") or "").lower()
    facts = FlinkClusterFacts(
        at=at,
        name=alias,
        type="confluent" if kind.startswith("confluent") else "other",
        api_key="present" if settings.get("api_key") else "absent",
    )
    decision = rules.table("flink-clusters").decide(facts)
    if not decision["spoken"]:
        raise RequestRefusedError(
            decision["code"],
            decision["message"](facts),
            location=f"{at}/{decision['setting']}",
            suggestion=decision["suggestion"](facts),
        )


def _limit(settings: Mapping[str, Any], key: str, usual: int) -> int:
    """Return a bound of a cluster, at least one; what is not said is as usual."""
    said = settings.get(key)
    return usual if said is None else max(1, as_int(said))
