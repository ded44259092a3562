"""Connectors against a stand-in for Kafka Connect: what the real worker does not do on demand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import trustme
from connect_stand_in import ConnectStandIn, connect_stand_in, refusing
from http_stand_in import Does, answers, hangs, hangs_up
from scripted_servers import refusing as nobody
from scripted_servers import tls_of
from service_bounds import rules_with

from streamt_ol.deploy.providers.connect.errors import ConnectorFailedError, ConnectorNameError
from streamt_ol.deploy.providers.connect.provider import Connectors
from streamt_ol.deploy.providers.errors import (
    OutcomeUnknownError,
    PreimageMovedError,
    ProviderError,
    RequestRefusedError,
)
from streamt_ol.deploy.records import Action, Surface, Wanted

AT = "/runtime/connect/clusters/main"
ONE = "/connectors/x"
CONFIG = f"{ONE}/config"
STATUS = f"{ONE}/status"
PATIENT = 10.0
SHORT = 0.3
CLUSTER = "Kafka Connect cluster 'main'"
RUNS = "RUNNING, 1 task RUNNING"

Raised = ProviderError | OutcomeUnknownError


@pytest.fixture
def connect() -> Iterator[ConnectStandIn]:
    with connect_stand_in() as stand_in:
        yield stand_in


def connectors(
    url: str | None, *, seconds: float = PATIENT, steady: int = 0, passing: int = 0, **settings: Any
) -> Connectors:
    clusters = {} if url is None else {"main": {"rest_url": url, **settings}}
    rules = rules_with(steady_milliseconds=steady, passing_seconds=passing)
    return Connectors({"connect": {"clusters": clusters}}, rules, seconds=seconds)


def surface(**config: Any) -> Surface:
    return {"config": {"name": "x", "connector.class": "example.Sink", "topics": "orders", **config}}


def action(verb: str, before: Surface | None, after: Surface | None, name: str = "x") -> Action:
    return Action(
        0, f"streamt://shop/default/connector/{name}", "connector", verb, name, before, after, "main"
    )


NEW = action("create", None, surface(key="planted-1"))
CHANGED = action("update", surface(key="planted-1"), surface(key="planted-2"))
GONE = action("delete", surface(key="planted-1"), None)


def holding(stand_in: ConnectStandIn, there: Surface | None) -> None:
    """Let a stand-in hold a connector, or none."""
    stand_in.connectors = {} if there is None else {"x": dict(there["config"])}


def held(stand_in: ConnectStandIn) -> Surface | None:
    return {"config": stand_in.connectors["x"]} if "x" in stand_in.connectors else None


def failure(work: Callable[[], object], cls: type[Raised]) -> Raised:
    with pytest.raises(cls) as caught:
        work()
    assert "planted" not in f"{caught.value!r} {caught.value}"
    assert caught.value.__cause__ is None
    assert type(caught.value) is cls
    return caught.value


def observed(stand_in: ConnectStandIn, **more: Any) -> Surface | None:
    shown = connectors(stand_in.url, **more).observe([Wanted("x", "main", surface(key="planted-1"))])
    assert list(shown) == ["x"]
    return shown["x"].surface


# What is there


def test_each_connector_is_asked_about_once(connect: ConnectStandIn) -> None:
    holding(connect, surface(key="value"))
    wanted = [Wanted(name, "main") for name in ("x", "none", "a b?#ä")]

    shown = connectors(connect.url).observe(wanted)

    assert {name: live.surface for name, live in shown.items()} == {
        "x": surface(key="value"),
        "none": None,
        "a b?#ä": None,
    }
    assert [one.path for one in connect.asked] == [ONE, "/connectors/none", "/connectors/a%20b%3F%23%C3%A4"]


def test_values_are_shown_with_their_types(connect: ConnectStandIn) -> None:
    holding(connect, surface(a=1, b="1", c=True, d=1.5))

    assert json.dumps(observed(connect)) == json.dumps(surface(a=1, b="1", c=True, d=1.5))


@pytest.mark.parametrize(
    ("does", "reason"),
    [
        (refusing(301, Location="http://127.0.0.1:1/planted"), "said"),
        (answers(404, b"<html>"), "there is nothing at this address, or it is not Kafka Connect"),
        (refusing(404, "HTTP 404 Not Found"), "there is nothing at this address, or it is not Kafka Connect"),
        (answers(404, {"message": "x"}), "there is nothing at this address, or it is not Kafka Connect"),
        (answers(200, b"<html>"), "the answer cannot be read"),
        (answers(200, b""), "the answer cannot be read"),
        (answers(200, b'{"name": "x", "name": "x", "config": {}}'), "the answer cannot be read"),
        (answers(200, b'{"name": "x", "config": {"a": "1", "a": "1"}}'), "the answer cannot be read"),
        (answers(200, b'{"name": "x", "config": {"a": NaN}}'), "the answer cannot be read"),
        (answers(200, b'{"name": "x", "config": {"a": "%s"}}' % (b"x" * 2**20)), "the answer cannot be read"),
        *(
            (answers(200, body), "the answer is about something else than a connector of this name")
            for body in (
                [],
                {},
                {"name": "x"},
                {"name": "y", "config": {}},
                {"name": "X", "config": {}},
                {"name": "x", "config": []},
                {"name": "x", "config": {"a": None}},
                {"name": "x", "config": {"a": {"b": "planted"}}},
                {"name": "x", "config": {"a": ["planted"]}},
            )
        ),
        (
            answers(200, b'{"name": "x", "config": {"a": 1e999}}'),
            "the answer is about something else than a connector of this name",
        ),
        (
            answers(200, b'{"name": "x", "config": {"a": "\\ud800"}}'),
            "the answer is about something else than a connector of this name",
        ),
    ],
)
def test_what_is_no_answer_about_this_connector_is_refused(
    connect: ConnectStandIn, does: Does, reason: str
) -> None:
    connect.fail("GET", ONE, does)

    error = failure(lambda: observed(connect), RequestRefusedError)

    assert (error.code, error.location) == ("E548_SERVICE_ANSWER", AT)
    assert error.message == f"{CLUSTER} does not tell of connector 'x': {reason}"
    assert len(connect.asked) == 1


@pytest.mark.parametrize(
    ("does", "reason"),
    [
        (refusing(500, "it is planted-1"), "it is ***"),
        (refusing(503), "said"),
        (refusing(409, "rebalancing"), "rebalancing"),
        (refusing(429), "said"),
    ],
)
def test_a_failure_that_does_not_pass_is_told(connect: ConnectStandIn, does: Does, reason: str) -> None:
    connect.fail("GET", ONE, *[does] * 3)

    error = failure(lambda: observed(connect), RequestRefusedError)

    assert (error.code, error.location) == ("E548_SERVICE_ANSWER", AT)
    assert error.message == f"{CLUSTER} does not tell of connector 'x': {reason}"
    assert len(connect.asked) == 3


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (401, f"{CLUSTER} refuses the login (401): said"),
        (403, f"{CLUSTER} forbids its user to have connector 'x' shown (403): said"),
    ],
)
def test_a_login_that_is_refused_is_told(connect: ConnectStandIn, status: int, message: str) -> None:
    connect.fail("GET", ONE, refusing(status))

    error = failure(lambda: observed(connect), RequestRefusedError)

    assert (error.code, error.message) == ("E404_AUTH_FAILED", message)


def test_a_worker_that_hangs_is_waited_for_within_its_time(connect: ConnectStandIn) -> None:
    connect.fail("GET", ONE, hangs, hangs, hangs)

    error = failure(lambda: observed(connect, seconds=SHORT), RequestRefusedError)

    assert (error.code, error.message) == (
        "E406_CONNECTION_REFUSED",
        f"{CLUSTER} at {connect.url.removeprefix('http://')} does not answer about connector 'x': "
        "no answer came in time",
    )
    assert len(connect.asked) == 3


def test_a_worker_that_is_not_there_is_told() -> None:
    shown = connectors(f"http://127.0.0.1:{nobody()}")

    error = failure(lambda: shown.observe([Wanted("x", "main")]), RequestRefusedError)

    assert (error.code, error.location) == ("E406_CONNECTION_REFUSED", AT)


def test_the_login_of_a_cluster_is_used_inside_tls(authority: trustme.CA, ca_file: str) -> None:
    with connect_stand_in(tls_of(authority, "localhost")) as stand_in:
        stand_in.login = "me:planted-password"
        login = {"username": "me", "password": "planted-password"}

        assert observed_with(stand_in, ssl_ca_location=ca_file, **login) is None
        refused = failure(lambda: observed_with(stand_in, **login), RequestRefusedError)
        assert refused.code == "E405_SSL_ERROR"

    assert len(stand_in.asked) == 1


def observed_with(stand_in: ConnectStandIn, **settings: Any) -> Surface | None:
    return connectors(stand_in.url, **settings).observe([Wanted("x", "main")])["x"].surface


@pytest.mark.parametrize(
    ("alias", "at", "what"),
    [
        ("main", AT, CLUSTER),
        ("a/b", "/runtime/connect/clusters/a~1b", "Kafka Connect cluster 'a/b'"),
        (None, "/runtime/connect", "Kafka Connect"),
    ],
)
def test_a_cluster_that_the_runtime_does_not_have_is_told(alias: str | None, at: str, what: str) -> None:
    error = failure(lambda: connectors(None).observe([Wanted("x", alias)]), RequestRefusedError)

    assert (error.code, error.location) == ("E208_MISSING_CONFIG", at)
    assert error.message == f"connector 'x' needs {what}, and the runtime does not say where it is"


@pytest.mark.parametrize("name", ["a/b", "..", "a\nb", "a%2Fb", ""])
def test_about_a_name_that_leads_elsewhere_nobody_is_asked(connect: ConnectStandIn, name: str) -> None:
    provider = connectors(connect.url)
    planned = action("delete", surface(), None, name)

    for work in (
        lambda: provider.observe([Wanted("x", "main"), Wanted(name, "main")]),
        lambda: provider.execute(planned),
    ):
        error = failure(work, ConnectorNameError)
        assert (error.code, error.message) == (
            "E501_PARSE_ERROR",
            f"no connector can be found again under the name {name!r}",
        )
    assert connect.asked == []


# Changes that are carried out


def test_a_connector_is_created_by_one_request_and_seen_at_work(connect: ConnectStandIn) -> None:
    connect.states["x"] = [None, ("RUNNING", []), ("RUNNING", ["UNASSIGNED"]), ("RUNNING", ["RUNNING"])]

    assert connectors(connect.url).execute(NEW) == RUNS

    assert held(connect) == NEW.after
    (post,) = [one for one in connect.asked if one.method == "POST"]
    assert (post.path, post.body) == (
        "/connectors",
        {"name": "x", "config": surface(key="planted-1")["config"]},
    )
    assert connect.requests("PUT", "DELETE") == []


def test_a_change_replaces_the_whole_configuration(connect: ConnectStandIn) -> None:
    before, after = surface(gone="planted-1", kept="a"), surface(kept="a", new="planted-2")
    holding(connect, before)

    assert connectors(connect.url).execute(action("update", before, after)) == RUNS

    assert held(connect) == after
    assert connect.requests("POST", "PUT", "DELETE") == [f"PUT {CONFIG}"]


@pytest.mark.parametrize("state", ["PAUSED", "STOPPED"])
def test_what_somebody_holds_stays_held(connect: ConnectStandIn, state: str) -> None:
    holding(connect, CHANGED.before)
    connect.states["x"] = [(state, [])]

    assert connectors(connect.url).execute(CHANGED) == f"{state}, no task, as before"

    assert connect.requests("POST", "PUT", "DELETE") == [f"PUT {CONFIG}"]


def test_a_connector_is_deleted_and_seen_to_be_gone(connect: ConnectStandIn) -> None:
    holding(connect, GONE.before)

    assert connectors(connect.url).execute(GONE) is None

    assert [f"{one.method} {one.path}" for one in connect.asked] == [
        f"GET {ONE}",
        f"DELETE {ONE}",
        f"GET {ONE}",
    ]
    assert held(connect) is None


def test_a_configuration_that_is_shown_late_is_waited_for(connect: ConnectStandIn) -> None:
    connect.fail("GET", ONE, None, refusing(404, "Connector x not found"), refusing(500), refusing(409))

    assert connectors(connect.url).execute(NEW) == RUNS


def test_an_old_state_is_not_taken_for_the_new_one(connect: ConnectStandIn) -> None:
    holding(connect, CHANGED.before)
    old = ("RUNNING", [("FAILED", "old.Trace: planted-1")])
    connect.states["x"] = [old, old, old, ("RUNNING", ["RUNNING"])]

    assert connectors(connect.url, steady=1000).execute(CHANGED) == RUNS


def test_a_connector_that_runs_without_tasks_is_told_in_the_end(connect: ConnectStandIn) -> None:
    connect.states["x"] = [("RUNNING", [])]

    assert connectors(connect.url, seconds=SHORT).execute(NEW) == "RUNNING, no task"


# What is not as it was planned


@pytest.mark.parametrize(
    ("planned", "there", "fields", "reason"),
    [
        (NEW, surface(key="planted-9"), ("existence",), "there is one of this name by now"),
        (NEW, NEW.after, ("existence",), "there is one of this name by now"),
        (CHANGED, None, ("existence",), "there is none of this name any more"),
        (CHANGED, surface(key="planted-9"), ("config.key",), "config.key"),
        (CHANGED, surface(key="planted-1", new="planted-9"), ("config.new",), "config.new"),
        (CHANGED, CHANGED.after, ("config.key",), "config.key"),
        (GONE, None, ("existence",), "there is none of this name any more"),
        (GONE, surface(key="planted-9"), ("config.key",), "config.key"),
    ],
)
def test_a_connector_that_moved_is_left_alone(
    connect: ConnectStandIn, planned: Action, there: Surface | None, fields: tuple[str, ...], reason: str
) -> None:
    holding(connect, there)

    error = failure(lambda: connectors(connect.url).execute(planned), PreimageMovedError)

    assert (error.code, error.fields) == ("E407_DEPLOY_ERROR", fields)
    assert error.message == f"connector 'x' is not as it was when this was planned: {reason}"
    assert [one.method for one in connect.asked] == ["GET"]
    assert held(connect) == there


@pytest.mark.parametrize("planned", [NEW, CHANGED, GONE], ids=["create", "update", "delete"])
def test_without_a_look_nothing_is_changed(connect: ConnectStandIn, planned: Action) -> None:
    holding(connect, planned.before)
    connect.fail("GET", ONE, *[refusing(503)] * 3)

    error = failure(lambda: connectors(connect.url).execute(planned), RequestRefusedError)

    assert error.code == "E548_SERVICE_ANSWER"
    assert connect.requests("POST", "PUT", "DELETE") == []


def test_who_was_faster_with_the_same_name_is_told(connect: ConnectStandIn) -> None:
    def overtake(handler: Any) -> None:
        holding(connect, surface(key="planted-9"))
        refusing(409, "Connector x already exists")(handler)

    connect.fail("POST", "/connectors", overtake)

    error = failure(lambda: connectors(connect.url).execute(NEW), PreimageMovedError)

    assert "there is one of this name by now" in error.message
    assert held(connect) == surface(key="planted-9")


def test_who_was_faster_with_a_deletion_is_told(connect: ConnectStandIn) -> None:
    holding(connect, GONE.before)
    connect.fail("DELETE", ONE, refusing(404, "Connector x not found"), carried_out=True)

    error = failure(lambda: connectors(connect.url).execute(GONE), PreimageMovedError)

    assert "there is none of this name any more" in error.message


# What is refused


REQUESTS = [
    (NEW, "POST", "/connectors", "created"),
    (CHANGED, "PUT", CONFIG, "changed"),
    (GONE, "DELETE", ONE, "deleted"),
]


@pytest.mark.parametrize(("planned", "method", "path", "asked"), REQUESTS, ids=["create", "update", "delete"])
@pytest.mark.parametrize("status", [400, 405, 415, 422, 302])
def test_a_change_that_is_refused_is_told_without_values(
    connect: ConnectStandIn, planned: Action, method: str, path: str, asked: str, status: int
) -> None:
    holding(connect, planned.before)
    connect.fail(method, path, refusing(status, "no: planted-1 {key=planted-2}"))

    error = failure(lambda: connectors(connect.url).execute(planned), RequestRefusedError)

    assert (error.code, error.location) == ("E407_DEPLOY_ERROR", AT)
    assert error.message == f"{CLUSTER} refuses to have connector 'x' {asked}: no: *** {{...}}"
    assert len(connect.requests(method)) == 1
    assert held(connect) == planned.before


@pytest.mark.parametrize(("planned", "method", "path", "asked"), REQUESTS, ids=["create", "update", "delete"])
@pytest.mark.parametrize("status", [401, 403])
def test_a_right_that_is_missing_is_told(
    connect: ConnectStandIn, planned: Action, method: str, path: str, asked: str, status: int
) -> None:
    holding(connect, planned.before)
    connect.fail(method, path, refusing(status))

    error = failure(lambda: connectors(connect.url).execute(planned), RequestRefusedError)

    assert error.code == "E404_AUTH_FAILED"
    assert (asked in error.message) is (status == 403)
    assert held(connect) == planned.before


# What is in doubt


@pytest.mark.parametrize(("planned", "method", "path", "asked"), REQUESTS, ids=["create", "update", "delete"])
@pytest.mark.parametrize("status", [500, 503, None])
def test_a_lost_answer_of_what_was_done_is_a_success(
    connect: ConnectStandIn, planned: Action, method: str, path: str, asked: str, status: int | None
) -> None:
    holding(connect, planned.before)
    does = hangs_up if status is None else refusing(status)
    connect.fail(method, path, does, carried_out=True)

    told = connectors(connect.url).execute(planned)

    assert told == (None if planned is GONE else RUNS)
    assert held(connect) == planned.after
    assert len(connect.requests("POST")) == (planned is NEW)


@pytest.mark.parametrize("status", [500, 503])
def test_a_creation_that_failed_and_left_nothing_was_refused(connect: ConnectStandIn, status: int) -> None:
    connect.fail("POST", "/connectors", refusing(status, "no enum constant planted-1"))

    error = failure(lambda: connectors(connect.url).execute(NEW), RequestRefusedError)

    assert error.message == f"{CLUSTER} refuses to have connector 'x' created: no enum constant ***"
    assert (error.code, len(connect.requests("POST"))) == ("E407_DEPLOY_ERROR", 1)


@pytest.mark.parametrize("does", [hangs_up, refusing(502), refusing(504)], ids=["lost", "502", "504"])
def test_a_creation_without_an_answer_and_a_trace_is_in_doubt(connect: ConnectStandIn, does: Does) -> None:
    connect.fail("POST", "/connectors", does)

    error = failure(lambda: connectors(connect.url, seconds=SHORT).execute(NEW), OutcomeUnknownError)

    assert error.message.startswith(f"it is not known whether connector 'x' was created by {CLUSTER}: ")
    assert len(connect.requests("POST")) == 1


def test_a_creation_that_hangs_is_sent_once_and_in_doubt(connect: ConnectStandIn) -> None:
    connect.fail("POST", "/connectors", hangs)

    error = failure(lambda: connectors(connect.url, seconds=SHORT).execute(NEW), OutcomeUnknownError)

    assert error.message == (
        f"it is not known whether connector 'x' was created by {CLUSTER}: no answer came in time"
    )
    assert len(connect.requests("POST")) == 1


def test_a_creation_that_comes_late_is_waited_for(connect: ConnectStandIn) -> None:
    connect.fail("POST", "/connectors", hangs_up, carried_out=True)
    connect.fail("GET", ONE, None, *[refusing(404, "Connector x not found")] * 3, refusing(500))

    assert connectors(connect.url).execute(NEW) == RUNS
    assert len(connect.requests("POST")) == 1


def test_what_somebody_else_made_meanwhile_is_no_success(connect: ConnectStandIn) -> None:
    def make_another(handler: Any) -> None:
        holding(connect, surface(key="planted-9"))
        hangs_up(handler)

    connect.fail("POST", "/connectors", make_another)

    failure(lambda: connectors(connect.url, seconds=SHORT).execute(NEW), OutcomeUnknownError)

    assert held(connect) == surface(key="planted-9")


def test_a_doubt_without_a_look_stays_one(connect: ConnectStandIn) -> None:
    connect.fail("POST", "/connectors", hangs_up, carried_out=True)
    connect.fail("GET", ONE, None, *[refusing(403)] * 1000)

    failure(lambda: connectors(connect.url, seconds=SHORT).execute(NEW), OutcomeUnknownError)


@pytest.mark.parametrize("does", [refusing(409), refusing(429), refusing(503), hangs_up])
def test_a_change_that_meets_a_rebalance_is_sent_again(connect: ConnectStandIn, does: Does) -> None:
    holding(connect, CHANGED.before)
    connect.fail("PUT", CONFIG, does, does)

    assert connectors(connect.url).execute(CHANGED) == RUNS

    bodies = [one.body for one in connect.asked if one.method == "PUT"]
    assert bodies == [surface(key="planted-2")["config"]] * 3


def test_a_creation_that_meets_a_rebalance_is_sent_again(connect: ConnectStandIn) -> None:
    connect.fail("POST", "/connectors", *[refusing(409, "Cannot complete request momentarily")] * 2)

    assert connectors(connect.url).execute(NEW) == RUNS

    assert len(connect.requests("POST")) == 3


def test_a_creation_that_meets_one_rebalance_after_the_other_is_refused(connect: ConnectStandIn) -> None:
    connect.fail("POST", "/connectors", *[refusing(409, "Cannot complete request momentarily")] * 3)

    error = failure(lambda: connectors(connect.url).execute(NEW), RequestRefusedError)

    assert error.message == (
        f"{CLUSTER} refuses to have connector 'x' created: Cannot complete request momentarily"
    )
    assert len(connect.requests("POST")) == 3


@pytest.mark.parametrize("does", [refusing(409), refusing(500, "a rebalance is expected")])
def test_a_plan_that_meets_a_rebalance_looks_again(connect: ConnectStandIn, does: Does) -> None:
    holding(connect, surface(key="value"))
    connect.fail("GET", ONE, does, does)

    assert observed(connect) == surface(key="value")


LEADERLESS = "IO Error trying to forward REST request: java.net.ConnectException: Connection refused"


@pytest.mark.parametrize(
    "does",
    [
        refusing(409, "Cannot complete request momentarily due to stale configuration"),
        refusing(500, "Request cannot be completed because a rebalance is expected"),
        refusing(500, LEADERLESS),
    ],
)
@pytest.mark.parametrize("planned", [NEW, CHANGED, GONE], ids=["create", "update", "delete"])
def test_a_step_outlasts_workers_that_nobody_leads(
    connect: ConnectStandIn, planned: Action, does: Does
) -> None:
    holding(connect, planned.before)
    for method, path in (("POST", "/connectors"), ("PUT", CONFIG), ("DELETE", ONE), ("GET", ONE)):
        connect.fail(method, path, *[does] * 9)

    connectors(connect.url, passing=30).execute(planned)

    assert held(connect) == planned.after


@pytest.mark.parametrize(
    "does",
    [
        refusing(409, "Connector x already exists"),
        refusing(500, "IO Error trying to forward REST request: java.util.concurrent.TimeoutException"),
        refusing(500, "Error writing connector configuration to Kafka"),
        answers(500, b"<html>"),
        answers(500, [LEADERLESS]),
        answers(500, {"message": [LEADERLESS]}),
    ],
)
def test_a_creation_that_may_have_been_begun_is_not_sent_again(connect: ConnectStandIn, does: Does) -> None:
    connect.fail("POST", "/connectors", *[does] * 9)

    failure(lambda: connectors(connect.url, passing=30).execute(NEW), RequestRefusedError)

    assert len(connect.requests("POST")) == 1


def test_a_deletion_that_was_done_by_an_attempt_before_is_done(connect: ConnectStandIn) -> None:
    holding(connect, GONE.before)
    connect.fail("DELETE", ONE, hangs_up, carried_out=True)

    assert connectors(connect.url).execute(GONE) is None
    assert connect.requests("DELETE") == [f"DELETE {ONE}"] * 2


def test_a_deletion_that_leaves_the_connector_there_is_in_doubt(connect: ConnectStandIn) -> None:
    holding(connect, GONE.before)
    connect.fail("DELETE", ONE, answers(204, b""))

    error = failure(lambda: connectors(connect.url, seconds=SHORT).execute(GONE), OutcomeUnknownError)

    assert error.message == (
        f"{CLUSTER} took the request to have connector 'x' deleted, and that it was carried out was not seen "
        "within 0.3 s: it is still there"
    )


def test_a_page_of_somebody_else_proves_no_deletion(connect: ConnectStandIn) -> None:
    holding(connect, GONE.before)
    connect.fail("GET", ONE, None, *[answers(404, b"<html>not found</html>")] * 1000)

    error = failure(lambda: connectors(connect.url, seconds=SHORT).execute(GONE), OutcomeUnknownError)

    assert error.message.endswith("there is nothing at this address, or it is not Kafka Connect")


# What does not work


@pytest.mark.parametrize(
    ("planned", "status", "told"),
    [
        (
            NEW,
            ("RUNNING", ["RUNNING", ("FAILED", "a.B: cannot use planted-1\n\tat a.B\n")]),
            "connector 'x' was created, and its task 1 failed: a.B: cannot use ***",
        ),
        (
            CHANGED,
            (("FAILED", "a.B: planted-2 or planted-1\nCaused by: c.D: root\n"), []),
            "connector 'x' was changed, and it failed: a.B: *** or ***; caused by c.D: root",
        ),
        (
            NEW,
            ("RUNNING", ["FAILED"]),
            "connector 'x' was created, and its task 0 failed: it does not say why",
        ),
    ],
    ids=["task", "connector", "without a word"],
)
def test_what_fails_after_a_change_is_told_with_what_was_done(
    connect: ConnectStandIn, planned: Action, status: Any, told: str
) -> None:
    holding(connect, planned.before)
    connect.states["x"] = [status]

    error = failure(lambda: connectors(connect.url).execute(planned), ConnectorFailedError)

    assert (error.code, error.message) == ("E407_DEPLOY_ERROR", told)
    assert error.done == (told.partition(",")[0],)
    assert held(connect) == planned.after


@pytest.mark.parametrize(
    ("status", "seen"),
    [
        (None, "no state yet"),
        (("UNASSIGNED", []), "UNASSIGNED, no task"),
        (("RUNNING", ["RUNNING", "RESTARTING"]), "RUNNING, 1 task RESTARTING, 1 task RUNNING"),
        (("PAUSED", ["PAUSED"]), "PAUSED, 1 task PAUSED"),
    ],
    ids=["none", "unassigned", "restarting", "paused by somebody"],
)
def test_what_is_not_seen_at_work_in_time_is_told_as_it_was_seen(
    connect: ConnectStandIn, status: Any, seen: str
) -> None:
    connect.states["x"] = [status]

    error = failure(lambda: connectors(connect.url, seconds=SHORT).execute(NEW), OutcomeUnknownError)

    assert error.message == (
        f"{CLUSTER} took the request to have connector 'x' created, and that it was carried out was not seen "
        f"within 0.3 s: {seen}"
    )


@pytest.mark.parametrize(
    "body",
    [
        [],
        {"name": "y", "connector": {"state": "RUNNING"}, "tasks": []},
        {"name": "x", "connector": {}, "tasks": []},
        {"name": "x", "connector": {"state": "RUNNING"}},
        {"name": "x", "connector": {"state": 1}, "tasks": []},
        {"name": "x", "connector": {"state": "RUNNING"}, "tasks": [{"state": "RUNNING"}]},
        {"name": "x", "connector": {"state": "RUNNING"}, "tasks": [{"id": "planted", "state": "RUNNING"}]},
        {"name": "x", "connector": {"state": "RUNNING", "trace": {}}, "tasks": {}},
        {"name": "x", "connector": "RUNNING", "tasks": []},
    ],
)
def test_what_is_no_status_is_not_taken_for_one(connect: ConnectStandIn, body: Any) -> None:
    connect.fail("GET", STATUS, *[answers(200, body)] * 1000)

    error = failure(lambda: connectors(connect.url, seconds=SHORT).execute(NEW), OutcomeUnknownError)

    assert error.message.endswith("the answer is no status of a connector of this name")


def test_a_cluster_that_cannot_be_looked_at_any_more_says_nothing_of_what_became_of_a_change(
    connect: ConnectStandIn,
) -> None:
    connect.fail("GET", ONE, None, *[refusing(403, "said")] * 1000)

    error = failure(lambda: connectors(connect.url, seconds=SHORT).execute(NEW), OutcomeUnknownError)

    assert error.message == (
        f"{CLUSTER} took the request to have connector 'x' created, and that it was carried out was not seen "
        f"within 0.3 s: {CLUSTER} forbids its user to have connector 'x' looked at (403): said"
    )


def test_what_was_changed_by_somebody_else_right_after_is_told(connect: ConnectStandIn) -> None:
    holding(connect, CHANGED.before)
    other = {"name": "x", "config": surface(key="planted-9")["config"]}
    connect.fail("GET", ONE, None, *[answers(200, other)] * 1000)

    error = failure(lambda: connectors(connect.url, seconds=SHORT).execute(CHANGED), OutcomeUnknownError)

    assert error.message.endswith("within 0.3 s: not yet so: config.key")


# Taking back


def test_what_was_created_is_taken_back_by_a_deletion(connect: ConnectStandIn) -> None:
    holding(connect, NEW.after)

    assert connectors(connect.url).undo(NEW) is True

    assert held(connect) is None


@pytest.mark.parametrize("there", [None, surface(key="planted-9")], ids=["gone", "changed"])
def test_what_is_not_as_it_was_created_is_not_taken_back(
    connect: ConnectStandIn, there: Surface | None
) -> None:
    holding(connect, there)

    assert connectors(connect.url).undo(NEW) is False

    assert connect.requests("DELETE") == []


@pytest.mark.parametrize("planned", [CHANGED, GONE], ids=["update", "delete"])
def test_only_a_creation_is_taken_back(connect: ConnectStandIn, planned: Action) -> None:
    assert connectors(connect.url).undo(planned) is False

    assert connect.asked == []
