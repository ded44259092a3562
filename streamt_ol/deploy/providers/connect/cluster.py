"""One Kafka Connect cluster as it is asked over REST; its answers are read strictly.

Source: section 4 of the runtime facts, and what Kafka Connect 4.3.1 does.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from streamt_ol.deploy.canonical import canonical_json
from streamt_ol.deploy.providers.connect.facts import connector_bound
from streamt_ol.deploy.providers.connect.rebalances import passing
from streamt_ol.deploy.providers.connect.states import NO_STATUS, read_status
from streamt_ol.deploy.providers.connect.words import said
from streamt_ol.deploy.providers.service import Service
from streamt_ol.ground.pointer import pointer
from streamt_ol.services.http_service import MalformedAnswerError, segment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.deploy.providers.connect.states import Status
    from streamt_ol.deploy.providers.service_records import About
    from streamt_ol.deploy.records import Surface
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.services.http_service import Answer

_NO_SUCH_PATH: Final = "HTTP 404 Not Found"
"""What a worker says of a path that it does not have. Of a connector it says that this is not found."""


class ConnectCluster:
    """The cluster that the runtime has under an alias; None for one that nobody named."""

    def __init__(
        self, alias: str | None, runtime: Mapping[str, Any], rules: RuleSet, seconds: float | None = None
    ) -> None:
        clusters: Mapping[str, Any] = (runtime.get("connect") or {}).get("clusters") or {}
        self.service = Service(
            "connect",
            "Kafka Connect" if alias is None else f"Kafka Connect cluster '{alias}'",
            pointer("runtime", "connect", *(() if alias is None else ("clusters", alias))),
            None if alias is None else clusters.get(alias),
            rules,
            key="rest_url",
            reason=said,
            special=passing,
            seconds=seconds,
            most=connector_bound(rules, "connector_bytes"),
        )

    def surface(self, name: str, about: About) -> Surface | None:
        """Return a connector as the cluster holds it, None for none; raises RequestRefusedError."""
        body = self._asked(_path(name), about)
        if body is None:
            return None
        if isinstance(body, dict) and body.get("name") == name and _is_config(body.get("config")):
            return {"config": body["config"]}
        raise self._malformed(about, "the answer is about something else than a connector of this name")

    def status(self, name: str, about: About) -> Status:
        """Return the states of a connector and its tasks; raises RequestRefusedError."""
        body = self._asked(f"{_path(name)}/status", about)
        if body is None:
            return NO_STATUS
        try:
            if body["name"] == name:
                return read_status(body)
        except (LookupError, TypeError, ValueError, AttributeError):
            pass
        raise self._malformed(about, "the answer is no status of a connector of this name")

    def create(self, name: str, config: Mapping[str, Any], about: About) -> None:
        """Create a connector; raises RequestRefusedError, InDoubtError."""
        self.service.change("POST", "connectors", {"name": name, "config": config}, about)

    def configure(self, name: str, config: Mapping[str, Any], about: About) -> None:
        """Replace the whole configuration of a connector; raises RequestRefusedError, InDoubtError."""
        self.service.change("PUT", f"{_path(name)}/config", config, about)

    def delete(self, name: str, about: About) -> None:
        """Delete a connector; raises RequestRefusedError, InDoubtError."""
        self.service.change("DELETE", _path(name), None, about)

    def _asked(self, path: str, about: About) -> Any:
        """Return the body of an answer, None where the cluster says that there is no such connector."""
        answer, _doubt = self.service.sent("GET", path, None, about, "question")
        if answer.status == HTTPStatus.NOT_FOUND:
            # Anybody may say 404, and it is the answer that makes a plan create, and a deletion done.
            if _says_absent(answer):
                return None
            raise self._malformed(about, "there is nothing at this address, or it is not Kafka Connect")
        self.service.require_success(answer, about, "question")
        try:
            return answer.json()
        except MalformedAnswerError:
            pass
        raise self._malformed(about, "the answer cannot be read")

    def _malformed(self, about: About, reason: str) -> Exception:
        return self.service.failure("malformed", "question", about, reason)


def _path(name: str) -> str:
    return f"connectors/{segment(name)}"


def _says_absent(answer: Answer) -> bool:
    try:
        body = answer.json()
    except MalformedAnswerError:
        return False
    return (
        isinstance(body, dict)
        and body.get("error_code") == HTTPStatus.NOT_FOUND
        and isinstance(body.get("message"), str)
        and body["message"] != _NO_SUCH_PATH
    )


def _is_config(value: Any) -> bool:
    """Return whether a value is a flat configuration; numbers and truth values are kept apart from texts."""
    if not isinstance(value, dict) or not all(isinstance(one, (str, int, float)) for one in value.values()):
        return False
    try:
        canonical_json(value)
    except ValueError:  # an endless number, or half a character
        return False
    return True
