"""The HTTP transport: each event one POST, answered in time by a status that means success.

The environment is not trusted: no proxy, no .netrc, no authorities from variables. No redirect is followed,
no cookie sent back, and of an answer no more is read than a bound allows; nothing of it is ever shown.
Sources: section 6.7 of the runtime facts, and its decisions R5 and R8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import httpcore
import httpx

from streamt_ol.runs.config_errors import key_refusal
from streamt_ol.runs.deliveries import AGAIN, DELIVERED, Deliveries, bound
from streamt_ol.runs.http_addresses import event_address
from streamt_ol.runs.tls_context import verifying_context
from streamt_ol.services.http_network import CertificateError, Network, TlsError
from streamt_ol.services.http_pool import AGENT, PooledTransport

if TYPE_CHECKING:
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.runs.deliveries import AttemptFacts
    from streamt_ol.runs.settings import HttpSettings

_PAGE: Final = (b"<!doctype html", b"<html")
"""How a web page begins."""


class HttpTransport:
    """Posts to one address. A connection is kept for what follows at once, and not for later."""

    def __init__(self, settings: HttpSettings, rules: RuleSet) -> None:
        self._address = event_address(settings.url, settings.endpoint)
        if not _is_address(self._address):
            raise key_refusal("url_host", "url", "the settings of the program", rules)
        self._api_key = settings.api_key
        self._seconds = settings.timeout
        self._attempts = 1 + settings.retries
        self._deliveries = Deliveries(rules)
        self._body_bytes = bound(rules, "body_bytes")
        self._network = Network()
        context = verifying_context(settings.ca_file, rules)
        self._client = httpx.Client(
            transport=PooledTransport(self._network, context, bound(rules, "idle_seconds")),
            trust_env=False,
            follow_redirects=False,
        )
        self._closed = False

    def send(self, line: bytes) -> None:
        """Post one event, once more where the table and the settings allow that; raises `DeliveryError`."""
        attempt = self._deliveries.ended("closed")
        verdict = AGAIN
        for _ in range(0 if self._closed else self._attempts):
            attempt = self._attempted(line)
            verdict = self._deliveries.verdict(attempt)
            if verdict != AGAIN:
                break
        if verdict != DELIVERED:
            raise self._deliveries.error(attempt)

    def close(self) -> None:
        """Close the connections; raises `DeliveryError` once."""
        self._closed = True
        if not self._gives_back():
            raise self._deliveries.error(self._deliveries.ended("connection_unclosed"))

    def _gives_back(self) -> bool:
        try:
            self._client.close()
        except OSError:
            return False
        return True

    def _attempted(self, line: bytes) -> AttemptFacts:
        """Return how one attempt ended. No failure leaves this method: what one holds would be shown."""
        self._network.begin(self._seconds)
        try:
            return self._answered(self._client.send(self._request(line), stream=True))
        except httpcore.TimeoutException:
            outcome = "timeout"
        except CertificateError:
            outcome = "certificate"
        except TlsError:
            outcome = "tls"
        except httpcore.NetworkError:
            outcome = "connection"
        except httpcore.ProtocolError:
            outcome = "connection" if self._network.broken_off else "no_http"
        except OSError:  # the one thing that the network raises as it is
            outcome = "connection_unclosed"
        return self._deliveries.ended(outcome)

    def _request(self, line: bytes) -> httpx.Request:
        headers = {"Content-Type": "application/json", "User-Agent": AGENT}
        if self._api_key is not None:
            headers["Authorization"] = f"Bearer {self._api_key.reveal()}"
        # Not made by the client, which would add cookies, and headers that nobody promised.
        return httpx.Request("POST", self._address, headers=headers, content=line)

    def _answered(self, response: httpx.Response) -> AttemptFacts:
        attempt = self._deliveries.answered(response.status_code)
        if self._deliveries.verdict(attempt) == DELIVERED:
            doubt = self._doubt(response)
            attempt = attempt if doubt is None else self._deliveries.ended(doubt)
        response.close()
        return attempt

    def _doubt(self, response: httpx.Response) -> str | None:
        """Return why an answer that means success is none: it does not end in time, or is a web page."""
        body = b""
        try:
            for piece in response.iter_raw():
                body += piece
                if len(body) > self._body_bytes:
                    break
        except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError):
            return "unfinished"
        return "web_page" if body.lstrip()[:20].lower().startswith(_PAGE) else None


def _is_address(text: str) -> bool:
    """Return whether httpx takes the text for an address: it knows more about hosts than the settings do."""
    try:
        httpx.Request("POST", text)
    except (httpx.InvalidURL, UnicodeError):
        return False
    return True
