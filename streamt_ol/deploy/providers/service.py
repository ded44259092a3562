"""A service over HTTP as providers ask it: a question, or a change; every failure is decided by tables.

A question may be repeated, a change only where that is harmless. Of a change that was sent and not answered,
or answered with a failure of the service itself, nobody knows what became: `InDoubtError`. Who asked for it
looks at what is there, and says so: `Service.settled`.
Sources: decisions R5 and R8, section 4 of the runtime facts.
"""

from __future__ import annotations

from http import HTTPStatus
from time import sleep
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from streamt_ol.deploy.providers.errors import OutcomeUnknownError, PreimageMovedError, RequestRefusedError
from streamt_ol.deploy.providers.service_facts import (
    SERVICE_NEEDS,
    ServiceAttempt,
    ServiceFailure,
    service_bound,
)
from streamt_ol.services.http_service import Answer, HttpService, MalformedAnswerError, NoAnswerError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from streamt_ol.deploy.providers.service_facts import Request
    from streamt_ol.engine.ruleset import RuleSet

    Failure = RequestRefusedError | PreimageMovedError | OutcomeUnknownError

Standing = Literal["before", "after", "neither"]
"""What is there after a change in doubt: what was there before it, what it was to make, or something else."""
Doubt = Literal["", "answered", "unanswered"]
"""Whether attempts may have changed something: none, only ones that were answered, or one that was not."""

_WORDS: Final = {
    HTTPStatus.UNAUTHORIZED: "login",
    HTTPStatus.FORBIDDEN: "forbidden",
    HTTPStatus.TOO_MANY_REQUESTS: "too_many",
}
_BETWEEN: Final = frozenset({HTTPStatus.BAD_GATEWAY, HTTPStatus.GATEWAY_TIMEOUT})
"""What a gateway between says that has no answer: the service may still be at work."""
_SECONDS: Final = 1000


class About(NamedTuple):
    """What a request is about, in words."""

    what: str
    """`connector 'x'`."""
    asked: str = "shown"
    """What is to become of it: `created`."""
    secrets: tuple[str, ...] = ()
    """What the request holds that no message may."""

    def __repr__(self) -> str:
        """Leave out the secrets."""
        return f"About({self.what!r}, {self.asked!r})"


class InDoubtError(Exception):
    """Nobody knows whether a change was carried out; to be settled by who asked for it, never shown."""

    def __init__(self, unknown: Failure, refused: Failure, *, answered: bool) -> None:
        super().__init__(unknown.message)
        self.unknown = unknown
        """What is told as long as nobody knows."""
        self.refused = refused
        """What is told once it is known that nothing was changed."""
        self.answered = answered
        """Whether the service is done with it: then what is there is what became of it."""


class Service:
    """One service of a runtime.

    `name` is its word in tables, `called` what people call it, `at` its place in the runtime. `settings` is
    None where the runtime has none. `reason` takes the service's own words out of the body of a failure;
    `special` are statuses that mean something else than usual, with the word of the tables for them.
    `seconds` and `attempts` are other bounds than usual, where the runtime says so; `most` is that of the
    length of an answer.
    """

    def __init__(
        self,
        name: str,
        called: str,
        at: str,
        settings: Mapping[str, Any] | None,
        rules: RuleSet,
        *,
        key: str = "url",
        path: str = "",
        reason: Callable[[Any], str | None] | None = None,
        special: Mapping[int, str] | None = None,
        seconds: float | None = None,
        attempts: int | None = None,
        most: int | None = None,
    ) -> None:
        rules.require(SERVICE_NEEDS)
        self.called = called
        self._name = name
        self._at = at
        self._rules = rules
        self._reason = reason or _message
        self._special = special or {}
        self._http = None if settings is None else HttpService(settings, key=key, path=path)
        self._seconds = service_bound(rules, "request_seconds") if seconds is None else seconds
        self._attempts = service_bound(rules, "attempts") if attempts is None else attempts
        self._most = service_bound(rules, "answer_bytes") if most is None else most

    def question(self, path: str, about: About, *, absent: Collection[int] = ()) -> Any:
        """Return what is answered to a GET, as plain values; None for one of the statuses of absence.

        Raises RequestRefusedError.
        """
        answer, _doubtful = self.sent("GET", path, None, about, "question")
        if answer.status in absent:
            return None
        self.require_success(answer, about, "question")
        try:
            return answer.json()
        except MalformedAnswerError:
            pass
        raise self.failure("malformed", "question", about, "the answer cannot be read")

    def change(self, method: str, path: str, content: Any, about: About) -> Answer:
        """Return the answer to a change that was carried out: a status of success.

        Raises RequestRefusedError where it is known that nothing was changed, InDoubtError where it is not.
        """
        answer, doubt = self.sent(method, path, content, about, "change")
        try:
            self.require_success(answer, about, "change")
        except RequestRefusedError as error:
            if doubt:  # an attempt before this one may be why it is refused
                raise self._doubt(about, self._words(answer), error, answered=doubt == "answered") from None
            raise
        except InDoubtError as error:
            error.answered = error.answered and doubt != "unanswered"
            raise
        return answer

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
    ) -> Failure:
        """Return the error for a request that failed, by the table `service-errors`.

        `fields` says what moved, if something did; `setting` is the key of the setting that is at fault.
        """
        at = f"{self._at}/{setting}" if setting else self._at
        facts = ServiceFailure(
            at=at,
            service=self.called,
            request=request,
            trouble=trouble,
            status="" if status is None else str(status),
            what=about.what,
            asked=about.asked,
            reason=self.without_secrets(reason, about.secrets) or _PLAIN.get(trouble, trouble),
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

    def settled(self, doubt: InDoubtError, look: Callable[[], Standing]) -> None:
        """Return where a change in doubt turns out to be carried out; raise its failure otherwise.

        A change that was answered and left everything as it was is refused; one that was not answered may
        still be carried out. Raises OutcomeUnknownError, RequestRefusedError.
        """
        try:
            standing = look()
        except RequestRefusedError:
            raise doubt.unknown from None
        if standing == "after":
            return
        if standing == "before" and doubt.answered:
            raise doubt.refused from None
        raise doubt.unknown from None

    def without_secrets(self, text: str, secrets: Sequence[str] = ()) -> str:
        """Return words of the service as they may be shown."""
        if self._http is None:
            return text
        longest = service_bound(self._rules, "reason_characters")
        return self._http.without_secrets(text, secrets=secrets, longest=longest)

    def sent(
        self, method: str, path: str, content: Any, about: About, request: Request
    ) -> tuple[Answer, Doubt]:
        """Return an answer of any status, and what the attempts before it may have changed.

        Raises RequestRefusedError, InDoubtError.
        """
        if self._http is None:
            raise self.failure("not_configured", request, about)
        attempts = self._attempts
        pause = service_bound(self._rules, "pause_milliseconds") / _SECONDS
        doubt: Doubt = ""
        setting = ""
        while True:
            attempts -= 1
            answer: Answer | None = None
            try:
                answer = self._http.ask(method, path, seconds=self._seconds, most=self._most, content=content)
                trouble = self._trouble_of(answer.status)
            except NoAnswerError as error:
                trouble, setting = error.trouble, error.setting
                doubt = "unanswered" if error.sent else doubt
            if trouble is None or not attempts or not self._again(method, trouble):
                break
            if answer is not None and trouble == "broken":
                doubt = "unanswered" if answer.status in _BETWEEN else doubt or "answered"
            sleep(pause)
            pause *= 2
        if answer is not None:
            return answer, doubt
        failure = self.failure(trouble or "", request, about, setting=setting)
        if request == "change" and doubt:
            # Of the last attempt it may be known that it was not sent; of those before it, it is not.
            raise self._doubt(about, _PLAIN.get(trouble or "", _PLAIN["unanswered"]), failure, answered=False)
        raise failure

    def _again(self, method: str, trouble: str) -> bool:
        attempt = ServiceAttempt(self._at, self._name, method, trouble)
        return bool(self._rules.table("service-retries").decide(attempt)["again"])

    def require_success(self, answer: Answer, about: About, request: Request) -> None:
        """Return for a status of success; raises RequestRefusedError, InDoubtError."""
        trouble = self._trouble_of(answer.status)
        if trouble is None:
            return
        told = self._words(answer)
        failure = self.failure(trouble, request, about, told, status=answer.status)
        if isinstance(failure, OutcomeUnknownError):
            refused = self.failure("refused", request, about, told, status=answer.status)
            raise InDoubtError(failure, refused, answered=answer.status not in _BETWEEN)
        raise failure

    def _doubt(self, about: About, told: str, refused: Failure, *, answered: bool) -> InDoubtError:
        return InDoubtError(self.failure("unanswered", "change", about, told), refused, answered=answered)

    def _trouble_of(self, status: int) -> str | None:
        return self._special.get(status) or trouble_of(status)

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


_STATUSES: Final = frozenset(one.value for one in HTTPStatus)
_PLAIN: Final = {
    "unanswered": "no answer came in time, or the connection broke off",
    "protocol": "the answer is no HTTP",
    "malformed": "the answer cannot be read",
}
"""Words for a trouble of which the service says nothing itself."""


def _message(body: Any) -> str | None:
    """Return the `message` of an answer, as most services have it."""
    told = body.get("message") if isinstance(body, dict) else None
    return told if isinstance(told, str) else None
