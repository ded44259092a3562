"""The jobs of Flink clusters, as their REST interface tells them: `GET /jobs/overview`.

One request per cluster and run, bounded in time and size. The environment is not trusted (no proxy, no
.netrc) and no redirect followed. Source: section 8 of the project language.
"""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any, Final

import httpcore
import httpx

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
from streamt_ol.services.http_network import Network, TlsError
from streamt_ol.services.http_pool import PooledTransport
from streamt_ol.services.tls import trusting

if TYPE_CHECKING:
    import ssl
    from collections.abc import Mapping

    from streamt_ol.engine.ruleset import RuleSet

_SUCCESS: Final = 200
_REFUSED: Final = frozenset({401, 403})
_LOGGERS: Final = ("httpx", "httpcore.connection", "httpcore.http11")
"""They log addresses and headers."""


class FlinkClusters:
    """Asks the clusters of a runtime, each once; what one said, or why it did not, holds for the run."""

    def __init__(self, runtime: Mapping[str, Any], rules: RuleSet) -> None:
        self._clusters: Mapping[str, Any] = (runtime.get("flink") or {}).get("clusters") or {}
        limits = rules.catalogue("test-limits")
        self._usual_seconds: int = limits["flink_seconds"]["limit"]
        self._most_bytes: int = limits["flink_bytes"]["limit"]
        self._told: dict[str, tuple[Job, ...] | FlinkError] = {}
        for name in _LOGGERS:
            logging.getLogger(name).disabled = True

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
        url = _address(settings.get("rest_url"), cluster, at)
        timeout = settings.get("timeout")
        seconds = as_int(timeout) if timeout else self._usual_seconds
        network = Network()
        network.begin(seconds)
        failure: FlinkError
        try:
            # Not by httpx.Client, which follows redirects, keeps cookies and asks the environment.
            with PooledTransport(network, _context(settings, cluster, at), 0) as transport:
                response = transport.handle_request(_request(url, settings))
                body = self._body(response)
        except httpcore.TimeoutException:
            text = f"cluster '{cluster}' does not answer within {seconds} s"
            failure = FlinkUnreachableError(text, location=at)
        except TlsError:
            failure = FlinkTlsError(f"no TLS connection to cluster '{cluster}' came about", location=at)
        except httpcore.NetworkError:
            failure = FlinkUnreachableError(f"cluster '{cluster}' cannot be connected to", location=at)
        except httpcore.ProtocolError:
            failure = FlinkAnswerError(f"cluster '{cluster}' does not speak HTTP", location=at)
        else:
            return _jobs(response.status_code, body, cluster, at)
        raise failure

    def _body(self, response: httpx.Response) -> bytes | None:
        """Return what was answered; None for more than is read."""
        body = bytearray()
        for piece in response.iter_raw():
            body += piece
            if len(body) > self._most_bytes:
                return None
        return bytes(body)


def _address(rest_url: str | None, cluster: str, at: str) -> httpx.URL:
    url = None
    if rest_url:
        try:
            url = httpx.URL(rest_url.rstrip("/") + "/jobs/overview")
        except httpx.InvalidURL:
            url = None
    if url is None or url.scheme not in ("http", "https") or not url.host:
        raise FlinkNotConfiguredError(
            f"cluster '{cluster}' has no rest_url with http:// or https://",
            location=at,
            suggestion="set `rest_url` of the cluster to the address of its JobManager's REST interface",
        )
    return url


def _request(url: httpx.URL, settings: Mapping[str, Any]) -> httpx.Request:
    user, password = settings.get("username") or url.username, settings.get("password") or url.password
    request = httpx.Request("GET", url, headers={"Accept": "application/json"})
    if user or password:
        request = next(httpx.BasicAuth(user, password).auth_flow(request))
    return request


def _context(settings: Mapping[str, Any], cluster: str, at: str) -> ssl.SSLContext:
    try:
        context = trusting(settings.get("ssl_ca_location"))
        if settings.get("ssl_certificate_location"):
            context.load_cert_chain(
                settings["ssl_certificate_location"],
                settings.get("ssl_key_location"),
                lambda: settings.get("ssl_key_password") or "",  # without one nobody is asked on the terminal
            )
    except (OSError, ValueError):
        pass
    else:
        return context
    raise FlinkTlsError(f"a certificate or key for cluster '{cluster}' cannot be used", location=at)


def _jobs(status: int, body: bytes | None, cluster: str, at: str) -> tuple[Job, ...]:
    if status in _REFUSED:
        raise FlinkLoginError(f"cluster '{cluster}' refuses the login with status {status}", location=at)
    if status != _SUCCESS:
        raise FlinkAnswerError(f"cluster '{cluster}' answers with status {status}", location=at)
    if body is None:
        raise FlinkAnswerError(f"cluster '{cluster}' answers with more than is read", location=at)
    try:
        return tuple(
            Job(str(job["name"]), str(job["state"]), int(job["start-time"]))
            for job in json.loads(body)["jobs"]
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    raise FlinkAnswerError(f"cluster '{cluster}' answers with something else than its jobs", location=at)
