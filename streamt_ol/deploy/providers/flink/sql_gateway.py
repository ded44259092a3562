"""Sessions of a SQL Gateway: statements one by one, and the session closed however it ends.

Source: the public reference of the REST interface of the SQL Gateway. A statement is accepted at once,
whatever it says; whether it was carried out is what its operation tells. Tables are those of a session; jobs
go on without it.
"""

from __future__ import annotations

import contextlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from streamt_ol.deploy.providers.errors import OutcomeUnknownError, RequestRefusedError
from streamt_ol.deploy.providers.flink.errors import StatementRefusedError
from streamt_ol.deploy.providers.flink.reasons import told_by_flink
from streamt_ol.deploy.providers.flink.waiting import looks
from streamt_ol.services.http_service import MalformedAnswerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from streamt_ol.deploy.providers.flink.clusters import Cluster
    from streamt_ol.deploy.providers.service_records import About
    from streamt_ol.services.http_service import Answer

VERSIONS: Final = ("V4", "V3", "V2", "V1")
"""Of the interface, the newest first; what is used of it is the same in all of them."""


class Outcome(NamedTuple):
    """How an operation ended."""

    done: bool
    status: str
    """A word of the gateway."""


class Session:
    """An open session. `about` is what its statements are for."""

    def __init__(self, cluster: Cluster, path: str, job: str, about: About) -> None:
        self._cluster = cluster
        self._path = path
        self._job = job
        self._about = about

    def run(self, statement: str, what: str, told: Callable[[str], str]) -> str:
        """Have a statement carried out that leaves nothing behind; `what` says which, in words.

        Return its operation.

        Raises StatementRefusedError where Flink refuses, with its root cause as `told` tells it, and
        RequestRefusedError for what else goes wrong.
        """
        about = self._about
        content = {"statement": statement}
        answer, _doubt = self._cluster.sql.sent(
            "POST", f"{self._path}/statements", content, about, "question"
        )
        self._cluster.sql.require_success(answer, about, "question")
        operation = self.operation_of(answer)
        outcome = self.outcome(operation)
        if outcome is None:
            raise self._failure("statement_late", what, f"{self._cluster.bounds.statement:g}")
        if not outcome.done:
            refused = self._failure("statement", what, told(self.cause(operation, outcome)))
            raise StatementRefusedError(refused.code, refused.message)
        return operation

    def text_of(self, operation: str) -> str | None:
        """Return the text that a statement had for its result; None where it had none.

        Raises RequestRefusedError.
        """
        told = self._cluster.sql.question(self._result(operation), self._about)
        try:
            text = told["results"]["data"][0]["fields"][0]
        except (LookupError, TypeError):
            return None
        return text if isinstance(text, str) else None

    def submit(self, statement: str, config: Mapping[str, str]) -> str | None:
        """Submit a statement with options of its own, once; return its operation.

        None where the answer does not say which. Raises RequestRefusedError and InDoubtError.
        """
        content = {"statement": statement, "executionConfig": dict(config)}
        answer = self._cluster.sql.change("POST", f"{self._path}/statements", content, self._about)
        try:
            return self.operation_of(answer)
        except RequestRefusedError:
            return None

    def outcome(self, operation: str) -> Outcome | None:
        """Return how an operation ended; None where it did not within the time for a statement.

        Raises RequestRefusedError.
        """
        table = self._cluster.rules.table("flink-operations")
        for _look in looks(self._cluster.rules, self._cluster.bounds.statement):
            told = self._cluster.sql.question(f"{self._path}/operations/{operation}/status", self._about)
            status = told.get("status") if isinstance(told, dict) else None
            if not isinstance(status, str):
                raise self._malformed("it answers with something else than the status of an operation")
            decision = table.match(status, self._job)
            if decision["over"]:
                return Outcome(decision["done"], status)
        return None

    def job_of(self, operation: str) -> str | None:
        """Return the job that an operation says that it submitted; None where it does not say."""
        try:
            told = self._cluster.sql.question(self._result(operation), self._about)
        except RequestRefusedError:
            return None
        said = told.get("jobID") if isinstance(told, dict) else None
        return said if isinstance(said, str) and said.isalnum() else None

    def cause(self, operation: str, outcome: Outcome) -> str:
        """Return why an operation failed, in Flink's words; raises RequestRefusedError."""
        answer, _doubt = self._cluster.sql.sent("GET", self._result(operation), None, self._about, "question")
        with contextlib.suppress(MalformedAnswerError):
            told = told_by_flink(answer.json())
            if told is not None:
                return told
        return f"its operation ended as {outcome.status}"

    def give_up(self, operation: str) -> None:
        """Ask for the end of an operation for which nobody waits any more; whether it comes matters not."""
        with contextlib.suppress(RequestRefusedError):
            path = f"{self._path}/operations/{operation}/cancel"
            self._cluster.closing.sent("POST", path, None, self._about, "question")

    def operation_of(self, answer: Answer) -> str:
        """Return the operation that an answer tells of; raises RequestRefusedError."""
        return self._handle(answer, "operationHandle")

    def _handle(self, answer: Answer, key: str) -> str:
        return handle(self._cluster, answer, key, self._about)

    def _result(self, operation: str) -> str:
        return f"{self._path}/operations/{operation}/result/0?rowFormat=JSON"

    def _failure(self, trouble: Any, what: str, reason: str) -> RequestRefusedError | OutcomeUnknownError:
        return self._cluster.failure(trouble, self._job, what, reason, self._about.secrets)

    def _malformed(self, reason: str) -> Exception:
        return self._cluster.sql.failure("malformed", "question", self._about, reason)


@contextmanager
def opened(cluster: Cluster, job: str, about: About, properties: Mapping[str, str]) -> Iterator[Session]:
    """Open a session with options of Flink, and close it however it ends; raises RequestRefusedError."""
    version = _version(cluster, job, about)
    content = {"properties": dict(properties)}
    answer, _doubt = cluster.sql.sent("POST", f"{version}/sessions", content, about, "question")
    cluster.sql.require_success(answer, about, "question")
    path = f"{version}/sessions/{handle(cluster, answer, 'sessionHandle', about)}"
    try:
        yield Session(cluster, path, job, about)
    finally:
        # A session that stays open ends by itself after a while, so this is no reason for an error.
        with contextlib.suppress(RequestRefusedError):
            cluster.closing.sent("DELETE", path, None, about, "question")


def handle(cluster: Cluster, answer: Answer, key: str, about: About) -> str:
    """Return a handle of an answer, which is a part of paths; raises RequestRefusedError."""
    with contextlib.suppress(MalformedAnswerError, LookupError, TypeError):
        said = answer.json()[key]
        if isinstance(said, str) and said.replace("-", "").isalnum():
            return said
    raise cluster.sql.failure("malformed", "question", about, f"it answers without a `{key}`")


def _version(cluster: Cluster, job: str, about: About) -> str:
    told = cluster.sql.question("api_versions", about)
    theirs = told.get("versions") if isinstance(told, dict) else None
    if not isinstance(theirs, list) or not all(isinstance(one, str) for one in theirs):
        raise cluster.sql.failure("malformed", "question", about, "it answers without its `versions`")
    common = [version for version in VERSIONS if version in theirs]
    if not common:
        raise cluster.failure("versions", job, "", ", ".join(theirs) or "none")
    return common[0].lower()
