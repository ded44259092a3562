"""A service over HTTP as providers ask it: a question, or a change; every failure is decided by tables.

A question may be repeated, a change only where that is harmless. Of a change that was sent and not answered,
or answered with a failure of the service itself, nobody knows what became: `InDoubtError`. Who asked for it
looks at what is there, and says so: `Service.settled`.
Sources: decisions R5 and R8, section 4 of the runtime facts.
"""

from __future__ import annotations

from itertools import count
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Final

from streamt_ol.deploy.providers.errors import RequestRefusedError
from streamt_ol.deploy.providers.service_facts import SERVICE_NEEDS, ServiceAttempt, service_bound
from streamt_ol.deploy.providers.service_failures import PLAIN, ServiceFailures, may_be_at_work
from streamt_ol.deploy.providers.service_records import InDoubtError
from streamt_ol.services.connection_errors import said_of
from streamt_ol.services.http_service import Answer, HttpService, MalformedAnswerError, NoAnswerError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from streamt_ol.deploy.providers.service_facts import Request
    from streamt_ol.deploy.providers.service_records import About, Doubt, Standing
    from streamt_ol.engine.ruleset import RuleSet

_MILLISECONDS: Final = 1000


class Service(ServiceFailures):
    """One service of a runtime.

    `name` is its word in tables, `called` what people call it, `at` its place in the runtime. `settings` is
    None where the runtime has none. `reason` takes the service's own words out of the body of a failure;
    `special` gives the word of the tables for an answer that means something else than its status does.
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
        special: Callable[[Answer], str | None] | None = None,
        seconds: float | None = None,
        attempts: int | None = None,
        most: int | None = None,
    ) -> None:
        rules.require(SERVICE_NEEDS)
        http = None if settings is None else HttpService(settings, key=key, path=path)
        super().__init__(called, at, http, rules, reason=reason, special=special)
        self._name = name
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

    def sent(
        self, method: str, path: str, content: Any, about: About, request: Request
    ) -> tuple[Answer, Doubt]:
        """Return an answer of any status, and what the attempts before it may have changed.

        Raises RequestRefusedError, InDoubtError.
        """
        if self._http is None:
            raise self.failure("not_configured", request, about)
        doubt: Doubt = ""
        broken = ""
        began = monotonic()
        for number in count(1):
            told = self._attempt(self._http, method, path, content)
            if isinstance(told, Answer):
                trouble = self._trouble_of(told)
            else:
                trouble = told.trouble
                if told.sent:
                    doubt, broken = "unanswered", told.cause
            if trouble is None or not self._again(method, trouble, number, monotonic() - began):
                break
            if isinstance(told, Answer) and trouble == "broken":
                doubt = "unanswered" if may_be_at_work(told.status) else doubt or "answered"
            sleep(self._pause(number))
        if isinstance(told, Answer):
            return told, doubt
        failure = self.failure(told.trouble, request, about, setting=told.setting, cause=told.cause)
        if request == "change" and doubt:
            # Of the last attempt it may be known that it was not sent; of those before it, it is not.
            reason = said_of(broken, self._at, self._rules).reason if broken else PLAIN["unanswered"]
            raise self._doubt(about, reason, failure, answered=False)
        raise failure

    def _pause(self, number: int) -> float:
        """Return the seconds after an attempt: each time twice as many, as often as is usual."""
        first = service_bound(self._rules, "pause_milliseconds") / _MILLISECONDS
        pause: float = first * 2 ** min(number - 1, max(self._attempts - 2, 0))
        return pause

    def _attempt(self, http: HttpService, method: str, path: str, content: Any) -> Answer | NoAnswerError:
        try:
            return http.ask(method, path, seconds=self._seconds, most=self._most, content=content)
        except NoAnswerError as error:
            return error

    def _again(self, method: str, trouble: str, number: int, seconds: float) -> bool:
        """Return whether to ask again after so many attempts, in so many seconds."""
        attempt = ServiceAttempt(self._at, self._name, method, trouble)
        again = self._rules.table("service-retries").decide(attempt)["again"]
        if again == "patiently" and seconds < service_bound(self._rules, "passing_seconds"):
            return True
        return again != "never" and number < self._attempts
