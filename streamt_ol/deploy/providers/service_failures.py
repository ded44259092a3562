"""The failures of a service over HTTP: what a status means, and what is told of it, by tables.

Sources: decisions R5 and R8, section 4 of the runtime facts.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from streamt_ol.deploy.providers.errors import OutcomeUnknownError, PreimageMovedError, RequestRefusedError
from streamt_ol.deploy.providers.service_facts import ServiceFailure, service_bound
from streamt_ol.deploy.providers.service_records import InDoubtError
from streamt_ol.services.connection_errors import Said, said_of
from streamt_ol.services.http_service import MalformedAnswerError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from streamt_ol.deploy.providers.errors import Failure
    from streamt_ol.deploy.providers.service_facts import Request
    from streamt_ol.deploy.providers.service_records import About
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.services.http_service import Answer, HttpService

_WORDS: Final = {
    HTTPStatus.UNAUTHORIZED: "login",
    HTTPStatus.FORBIDDEN: "forbidden",
    HTTPStatus.TOO_MANY_REQUESTS: "too_many",
}
_STATUSES: Final = frozenset(one.value for one in HTTPStatus)
_BETWEEN: Final = frozenset({HTTPStatus.BAD_GATEWAY, HTTPStatus.GATEWAY_TIMEOUT})
"""What a gateway between says that has no answer of the service."""
PLAIN: Final = {
    "unanswered": "no answer came in time, or the connection broke off",
    "malformed": "the answer cannot be read",
}
"""Words for a trouble of which neither the service nor its connection says anything."""
_NOTHING: Final = Said("", "")


class ServiceFailures:
    """The failures of one service; `Service` adds the requests.

    `called` is what people call it, `at` its place in the runtime. `http` knows the secrets of its settings;
    None where the runtime has none. `reason` takes the service's own words out of the body of a failure, by
    default its `message`; `special` gives the word of the tables for an answer that means something else than
    its status usually does.
    """

    def __init__(
        self,
        called: str,
        at: str,
        http: HttpService | None,
        rules: RuleSet,
        *,
        reason: Callable[[Any], str | None] | None = None,
        special: Callable[[Answer], str | None] | None = None,
    ) -> None:
        self.called = called
        self._at = at
        self._http = http
        self._rules = rules
        self._reason = reason or _message
        self._special = special

    def failure(
        self,
        trouble: str,
        request: Request,
        about: About,
        reason: str = "",
        *,
        status: int | None = None,
        fields: tuple[str, ...] = (),
        setting: str = "",
        cause: str = "",
    ) -> Failure:
        """Return the error for a request that failed, by the table `service-errors`.

        `fields` says what moved, if something did; `setting` is the key of the setting that is at fault;
        `cause` is the name of what went wrong with the connection.
        """
        at = f"{self._at}/{setting}" if setting else self._at
        said = said_of(cause, at, self._rules) if cause else _NOTHING
        facts = ServiceFailure(
            at=at,
            service=self.called,
            request=request,
            trouble=trouble,
            status="" if status is None else str(status),
            what=about.what,
            asked=about.asked,
            reason=self.without_secrets(reason, about.secrets) or said.reason or PLAIN.get(trouble, trouble),
            address="" if self._http is None else self._http.where,
            advice=said.advice,
        )
        decision = self._rules.table("service-errors").decide(facts)
        message = decision["message"](facts)
        if decision["result"] == "unknown":
            return OutcomeUnknownError(message)
        if decision["result"] == "moved":
            return PreimageMovedError(message, fields)
        suggestion = decision.get("suggestion")
        return RequestRefusedError(
            decision["code"],
            message,
            location=at,
            suggestion=None if suggestion is None else suggestion(facts),
        )

    def without_secrets(self, text: str, secrets: Sequence[str] = ()) -> str:
        """Return words of the service as they may be shown."""
        if self._http is None:
            return text
        longest = service_bound(self._rules, "reason_characters")
        return self._http.without_secrets(text, secrets=secrets, longest=longest)

    def require_success(self, answer: Answer, about: About, request: Request) -> None:
        """Return for a status of success; raises RequestRefusedError, InDoubtError."""
        trouble = self._trouble_of(answer)
        if trouble is None:
            return
        told = self._words(answer)
        failure = self.failure(trouble, request, about, told, status=answer.status)
        if isinstance(failure, OutcomeUnknownError):
            refused = self.failure("refused", request, about, told, status=answer.status)
            raise InDoubtError(failure, refused, answered=not may_be_at_work(answer.status))
        raise failure

    def _doubt(self, about: About, told: str, refused: Failure, *, answered: bool) -> InDoubtError:
        return InDoubtError(self.failure("unanswered", "change", about, told), refused, answered=answered)

    def _trouble_of(self, answer: Answer) -> str | None:
        special = None if self._special is None else self._special(answer)
        return special or trouble_of(answer.status)

    def _words(self, answer: Answer) -> str:
        """Return the service's own words about a failure, or its status where it has none."""
        return self._told(answer) or f"it answers with status {answer.status}"

    def _told(self, answer: Answer) -> str | None:
        """Return the service's own words about a failure."""
        try:
            return self._reason(answer.json())
        except (MalformedAnswerError, LookupError, TypeError, ValueError):
            return None


def trouble_of(status: int) -> str | None:
    """Return the word of the tables for a status; None for success."""
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return None
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        return "redirected"
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status < HTTPStatus.OK:
        return "broken"
    return _WORDS.get(HTTPStatus(status), "refused") if status in _STATUSES else "refused"


def may_be_at_work(status: int) -> bool:
    """Return whether a status is one of a gateway between: the service may still be at work."""
    return status in _BETWEEN


def _message(body: Any) -> str | None:
    """Return the `message` of an answer, as most services have it."""
    told = body.get("message") if isinstance(body, dict) else None
    return told if isinstance(told, str) else None
