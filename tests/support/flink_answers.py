"""What the stand-in for Flink's services answers: sessions, statements and jobs, as their interfaces document.

It reads no SQL and runs no job. A statement that begins with INSERT makes a job, unless the test says what
becomes of it instead; every other one is done at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

SAVEPOINT = "file:/savepoints/savepoint-1"
EXPLAINED = """== Abstract Syntax Tree ==
...

== Physical Execution Plan ==
{
  "nodes" : [ {
    "id" : 1,
    "type" : "Source: orders[1]",
    "pact" : "Data Source",
    "contents" : "[1]:TableSourceScan(table=[[default_catalog, default_database, orders]], fields=[id])",
    "parallelism" : 1
  }, {
    "id" : 3,
    "type" : "out[2]: Writer",
    "pact" : "Operator",
    "contents" : "out[2]: Writer",
    "parallelism" : 1,
    "predecessors" : [ { "id" : 1, "ship_strategy" : "FORWARD", "side" : "second" } ]
  } ]
}"""
"""How Flink explains a job that copies a topic."""
_WORDS = (
    ("versions", r"GET /api_versions"),
    ("open", r"POST /v\d/sessions"),
    ("statement", r"POST /v\d/sessions/[^/]+/statements"),
    ("status", r"GET /v\d/sessions/[^/]+/operations/[^/]+/status"),
    ("result", r"GET /v\d/sessions/[^/]+/operations/[^/]+/result/0"),
    ("give up", r"POST /v\d/sessions/[^/]+/operations/[^/]+/cancel"),
    ("close", r"DELETE /v\d/sessions/[^/]+"),
    ("overview", r"GET /jobs/overview"),
    ("state", r"GET /jobs/[^/]+/status"),
    ("config", r"GET /jobs/[^/]+/config"),
    ("checkpoints", r"GET /jobs/[^/]+/checkpoints"),
    ("exceptions", r"GET /jobs/[^/]+/exceptions"),
    ("stop", r"POST /jobs/[^/]+/stop"),
    ("savepoint", r"GET /jobs/[^/]+/savepoints/[^/]+"),
    ("cancel", r"PATCH /jobs/[^/]+"),
)
_PARAMETER = re.compile(r"(streamt\.\w+):'((?:[^']|'')*)'")


@dataclass
class Job:
    """A job of the stand-in; its states are told one after the other, the last one from then on."""

    id: str
    name: str
    states: list[str]
    parameters: dict[str, str] = field(default_factory=dict)
    tasks: tuple[int, int] = (1, 1)
    """How many run, and how many there are."""
    savepoint: str | None = None
    trace: str | None = None
    """Of its last failure."""
    config: dict[str, str] = field(default_factory=dict)
    """Of the statement that made it."""
    started: int = 0

    def state(self) -> str:
        return self.states.pop(0) if len(self.states) > 1 else self.states[0]


@dataclass
class Operation:
    """One statement; `status` are the words that are told, the last one from then on."""

    status: list[str]
    job: str | None = None
    error: str = ""
    rows: list[Any] = field(default_factory=list)


@dataclass
class Held:
    """What the services hold, and what becomes of what they are asked."""

    versions: list[str] = field(default_factory=lambda: ["V1", "V2", "V3", "V4"])
    jobs: dict[str, Job] = field(default_factory=dict)
    sessions: dict[str, dict[str, str]] = field(default_factory=dict)
    """Open sessions and their properties."""
    closed: list[str] = field(default_factory=list)
    statements: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    """Each with its options."""
    operations: dict[str, Operation] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    """How a statement begins, to the trace with which it fails."""
    lasting: dict[str, list[str]] = field(default_factory=dict)
    """How a statement begins, to the words of its status."""
    explained: Any = EXPLAINED
    """What an EXPLAIN gives."""
    start: list[str] = field(default_factory=lambda: ["RUNNING"])
    """The states of a job that is submitted."""
    tasks: tuple[int, int] = (1, 1)
    trace: str | None = None
    """Why a job that is submitted fails."""
    submits_on_error: bool = False
    """Whether a job is made although its statement is said to have failed."""
    savepoint: dict[str, Any] = field(default_factory=lambda: {"location": SAVEPOINT})
    """What becomes of a stop with a savepoint."""
    progress: int = 0
    """How often a savepoint is said to be in progress."""
    stopped: set[str] = field(default_factory=set)
    """The names of requests to stop with a savepoint."""

    def add(self, name: str, *states: str, **more: Any) -> Job:
        """Have a job, and return it; `fingerprint` and `shape` are what it says of itself."""
        said = {f"streamt.{word}": more.pop(word, None) for word in ("fingerprint", "shape")}
        job = Job(uuid4().hex, name, list(states or ("RUNNING",)), started=len(self.jobs), **more)
        job.parameters |= {name: text for name, text in said.items() if text is not None}
        self.jobs[job.id] = job
        return job

    def inserts(self) -> list[tuple[str, dict[str, str]]]:
        return [one for one in self.statements if one[0].startswith("INSERT")]


class RefusedError(Exception):
    """An answer with another status."""

    def __init__(self, status: int, errors: list[str]) -> None:
        super().__init__(status)
        self.status = status
        self.errors = errors


def word_of(method: str, path: str) -> str:
    """Return the word for a request; `unknown` for one that no interface documents."""
    place = f"{method} {path.partition('?')[0]}"
    return next((word for word, pattern in _WORDS if re.fullmatch(pattern, place)), "unknown")


def _open(held: Held, _parts: list[str], body: Any) -> Any:
    handle = str(uuid4())
    held.sessions[handle] = dict(body["properties"])
    return {"sessionHandle": handle}


def _statement(held: Held, parts: list[str], body: Any) -> Any:
    properties = held.sessions[parts[2]]
    text, config = body["statement"], body.get("executionConfig") or {}
    held.statements.append((text, config))
    handle = str(uuid4())
    error = next((trace for start, trace in held.errors.items() if text.startswith(start)), "")
    lasting = next((words for start, words in held.lasting.items() if text.startswith(start)), None)
    status = list(lasting or (["RUNNING", "ERROR"] if error else ["RUNNING", "FINISHED"]))
    rows = [{"kind": "INSERT", "fields": [held.explained]}] if text.startswith("EXPLAIN") else []
    operation = held.operations[handle] = Operation(status, None, error, rows)
    if text.startswith("INSERT") and (not error or held.submits_on_error):
        job_id = config.get("$internal.pipeline.job-id") or uuid4().hex
        parameters = dict(_PARAMETER.findall(config.get("pipeline.global-job-parameters", "")))
        held.jobs[job_id] = Job(
            job_id,
            properties["pipeline.name"],
            list(held.start),
            parameters,
            held.tasks,
            trace=held.trace,
            config=config,
            started=len(held.jobs),
        )
        operation.job = job_id
    return {"operationHandle": handle}


def _status(held: Held, parts: list[str], _body: Any) -> Any:
    words = held.operations[parts[4]].status
    return {"status": words.pop(0) if len(words) > 1 else words[0]}


def _result(held: Held, parts: list[str], _body: Any) -> Any:
    operation = held.operations[parts[4]]
    if operation.error:
        raise RefusedError(500, ["Internal server error.", operation.error])
    return {"resultType": "PAYLOAD", "jobID": operation.job, "results": {"data": operation.rows}}


def _close(held: Held, parts: list[str], _body: Any) -> Any:
    del held.sessions[parts[2]]
    held.closed.append(parts[2])
    return {"status": "CLOSED"}


def _overview(held: Held, _parts: list[str], _body: Any) -> Any:
    return {
        "jobs": [
            {
                "jid": job.id,
                "name": job.name,
                "state": job.state(),
                "start-time": 1_767_225_600_000 + job.started,
                "tasks": {"running": job.tasks[0], "finished": 0, "total": job.tasks[1]},
            }
            for job in held.jobs.values()
        ]
    }


def _job(held: Held, parts: list[str]) -> Job:
    if parts[1] not in held.jobs:
        trace = f"org.apache.flink.runtime.rest.NotFoundException: Job {parts[1]} not found\n\tat some.Frame(X.java:1)"
        raise RefusedError(404, [trace])
    return held.jobs[parts[1]]


def _config(held: Held, parts: list[str], _body: Any) -> Any:
    job = _job(held, parts)
    return {"jid": job.id, "name": job.name, "execution-config": {"user-config": job.parameters}}


def _checkpoints(held: Held, parts: list[str], _body: Any) -> Any:
    path = _job(held, parts).savepoint
    return {"latest": {"savepoint": path and {"external_path": path}, "restored": None}}


def _exceptions(held: Held, parts: list[str], _body: Any) -> Any:
    trace = _job(held, parts).trace
    return {"exceptionHistory": {"entries": [{"stacktrace": trace}] if trace else []}}


def _stop(held: Held, _parts: list[str], body: Any) -> Any:
    held.stopped.add(body["triggerId"])
    return {"request-id": body["triggerId"]}


def _savepoint(held: Held, parts: list[str], _body: Any) -> Any:
    if parts[3] not in held.stopped:
        raise RefusedError(404, [f"x.RestHandlerException: There is no savepoint operation {parts[3]}"])
    if held.progress:
        held.progress -= 1
        return {"status": {"id": "IN_PROGRESS"}, "operation": None}
    if "location" in held.savepoint:
        job = held.jobs[parts[1]]
        job.states, job.savepoint = ["FINISHED"], held.savepoint["location"]
    return {"status": {"id": "COMPLETED"}, "operation": held.savepoint}


def _cancel(held: Held, parts: list[str], _body: Any) -> Any:
    _job(held, parts).states = ["CANCELLING", "CANCELED"]
    return {}


_ANSWERS: dict[str, Callable[[Held, list[str], Any], Any]] = {
    "versions": lambda held, _parts, _body: {"versions": held.versions},
    "open": _open,
    "statement": _statement,
    "status": _status,
    "result": _result,
    "give up": lambda _held, _parts, _body: {"status": "CANCELED"},
    "close": _close,
    "overview": _overview,
    "state": lambda held, parts, _body: {"status": _job(held, parts).state()},
    "config": _config,
    "checkpoints": _checkpoints,
    "exceptions": _exceptions,
    "stop": _stop,
    "savepoint": _savepoint,
    "cancel": _cancel,
}


def told(held: Held, word: str, path: str, body: Any) -> tuple[int, Any]:
    """Return status and body of what is answered to a request, which is carried out."""
    parts = path.partition("?")[0].strip("/").split("/")
    try:
        return 202 if word in ("stop", "cancel") else 200, _ANSWERS[word](held, parts, body)
    except RefusedError as refused:
        return refused.status, {"errors": refused.errors}
    except KeyError:
        return 500, {"errors": ["Internal server error.", "java.lang.Exception: no such session"]}
