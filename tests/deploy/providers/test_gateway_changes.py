"""Rules that are put on a Gateway, changed and removed: in which order, and back again where a step fails."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from gateway_plans import (
    FILTER,
    GETS,
    MASK,
    NAME,
    filtering,
    hold,
    live,
    masking,
    planned,
    provider_of,
    rule,
)
from gateway_resources import alias, interceptor
from gateway_stand_in import GatewayStandIn, gateway_stand_in
from http_stand_in import Handler, answers, breaks_off, hangs

from streamt_ol.deploy.providers.errors import (
    OutcomeUnknownError,
    PreimageMovedError,
    ProviderError,
    RequestRefusedError,
)
from streamt_ol.deploy.records import Action, Surface

WHOLE = rule(filtering(), masking())
OTHER = rule(filtering("SELECT * FROM t WHERE region = 'US'"), masking("phone", "orders.eu_mask_1"))


@pytest.fixture
def gateway() -> Iterator[GatewayStandIn]:
    with gateway_stand_in() as running:
        yield running


def failed(gateway: GatewayStandIn, action: Action, seconds: float | None = None) -> Any:
    with pytest.raises((ProviderError, OutcomeUnknownError)) as caught:
        provider_of(gateway, seconds).execute(action)
    return caught.value


def held(gateway: GatewayStandIn) -> tuple[Any, Any]:
    return deepcopy((gateway.aliases, gateway.interceptors))


CREATE = planned("create", None, WHOLE)
UPDATE = planned("update", WHOLE, OTHER)
DELETE = planned("delete", WHOLE, None)
ORDER = {
    "create": [f"PUT {NAME}", f"PUT {FILTER}", f"PUT {MASK}"],
    "update": [f"PUT {FILTER}", "PUT orders.eu_mask_1", f"DELETE {MASK}"],
    "delete": [f"DELETE {FILTER}", f"DELETE {MASK}", f"DELETE {NAME}"],
}
BACK = {
    "create": [f"DELETE {NAME}", f"DELETE {FILTER}"],
    "update": [f"PUT {FILTER}", "DELETE orders.eu_mask_1"],
    "delete": [f"PUT {FILTER}", f"PUT {MASK}"],
}
"""What takes back the steps before the last, each."""


def before(gateway: GatewayStandIn, action: Action) -> None:
    if action.before is not None:
        hold(gateway, action.before)


@pytest.mark.parametrize("action", [CREATE, UPDATE, DELETE], ids=lambda one: one.action)
def test_a_rule_is_looked_at_then_written_in_order_each_part_once(
    gateway: GatewayStandIn, action: Action
) -> None:
    before(gateway, action)

    provider_of(gateway).execute(action)

    assert gateway.told() == [*GETS, *ORDER[action.action]]
    assert live(gateway) == action.after


def test_what_is_put_has_the_form_that_is_documented(gateway: GatewayStandIn) -> None:
    gateway.groups.add("support")
    mask = masking(group="support")
    provider_of(gateway).execute(planned("create", None, rule(mask)))
    provider_of(gateway).execute(planned("delete", rule(mask), None))

    puts_and_deletes = [one for one in gateway.requests if one.method != "GET"]
    assert [(one.path, one.body) for one in puts_and_deletes] == [
        (
            "/gateway/v2/alias-topic",
            {
                "kind": "AliasTopic",
                "apiVersion": "gateway/v2",
                "metadata": {"name": NAME, "vCluster": "passthrough"},
                "spec": {"physicalName": "shop.orders", "physicalCluster": "main"},
            },
        ),
        (
            "/gateway/v2/interceptor",
            {
                "kind": "Interceptor",
                "apiVersion": "gateway/v2",
                "metadata": {"name": MASK, "scope": {"vCluster": "passthrough", "group": "support"}},
                "spec": {
                    "pluginClass": "io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin",
                    "priority": 100,
                    "config": mask["config"],
                },
            },
        ),
        (f"/gateway/v2/interceptor/{MASK}", {"vCluster": "passthrough", "group": "support"}),
        ("/gateway/v2/alias-topic", {"name": NAME, "vCluster": "passthrough"}),
    ]


def test_only_what_differs_is_written(gateway: GatewayStandIn) -> None:
    hold(gateway, WHOLE)
    provider_of(gateway).execute(planned("update", WHOLE, {**WHOLE, "alias": rule(physical="new")["alias"]}))

    assert gateway.writes() == [f"PUT {NAME}"]


def masks(*fields: str) -> Surface:
    """Return a rule with a mask of each field, numbered in their order."""
    made = [masking(field, f"orders.eu_mask_{number}") for number, field in enumerate(fields)]
    return rule(*made)


@pytest.mark.parametrize(
    ("was", "will_be", "order"),
    [
        ("ab", "xab", ["PUT 2", "PUT 1", "PUT 0"]),
        ("ab", "axb", ["PUT 2", "PUT 1"]),
        ("abc", "bc", ["PUT 0", "PUT 1", "DELETE 2"]),
        ("abc", "xcd", ["PUT 0", "PUT 1", "PUT 2"]),
        ("abc", "cab", ["PUT 0", "PUT 2", "PUT 1"]),
    ],
    ids=["one before all", "one between", "the first is gone", "others", "a circle"],
)
def test_a_mask_that_is_wanted_before_and_after_is_there_on_the_way(
    gateway: GatewayStandIn, was: str, will_be: str, order: list[str]
) -> None:
    hold(gateway, masks(*was))

    provider_of(gateway).execute(planned("update", masks(*was), masks(*will_be)))

    assert gateway.writes() == [one.replace(" ", " orders.eu_mask_") for one in order]
    assert live(gateway) == masks(*will_be)


def test_a_rule_that_is_there_in_part_is_completed(gateway: GatewayStandIn) -> None:
    hold(gateway, rule(filtering()))
    gateway.aliases.clear()
    provider_of(gateway).execute(planned("update", {"alias": None, "interceptors": [filtering()]}, WHOLE))

    assert gateway.writes() == [f"PUT {NAME}", f"PUT {MASK}"]
    assert live(gateway) == WHOLE


@pytest.mark.parametrize(
    ("action", "there", "moved"),
    [
        (CREATE, rule(), ("alias topic 'orders.eu'",)),
        (UPDATE, None, ("alias topic 'orders.eu'", f"interceptor '{FILTER}'", f"interceptor '{MASK}'")),
        (UPDATE, rule(filtering("other"), masking()), (f"interceptor '{FILTER}'",)),
        (
            DELETE,
            rule(filtering(), masking(), masking(name="orders.eu_mask_7")),
            ("interceptor 'orders.eu_mask_7'",),
        ),
    ],
)
def test_nothing_is_written_where_the_rule_has_moved(
    gateway: GatewayStandIn, action: Action, there: Surface | None, moved: tuple[str, ...]
) -> None:
    if there is not None:
        hold(gateway, there)

    error = failed(gateway, action)

    assert isinstance(error, PreimageMovedError)
    assert error.fields == moved
    assert error.message == (
        f"Gateway rule '{NAME}' is not as it was when this was planned: {', '.join(moved)}"
    )
    assert gateway.told() == GETS


@pytest.mark.parametrize("step", [0, 1, 2])
@pytest.mark.parametrize("action", [CREATE, UPDATE, DELETE], ids=lambda one: one.action)
@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (answers(400, {"title": "The request is not valid", "msg": "no such plugin"}), "E407_DEPLOY_ERROR"),
        (answers(401, {"title": "no"}), "E404_AUTH_FAILED"),
        (answers(403, {"title": "no"}), "E404_AUTH_FAILED"),
        (answers(409, {"title": "no"}), "E407_DEPLOY_ERROR"),
        (answers(429, {"title": "no"}), "E407_DEPLOY_ERROR"),
        (answers(500, {"title": "no"}), "E407_DEPLOY_ERROR"),
        (answers(307, b"", Location="http://elsewhere.example/"), "E407_DEPLOY_ERROR"),
    ],
    ids=["400", "401", "403", "409", "429", "500", "307"],
)
def test_what_was_done_before_a_refusal_is_taken_back_in_reverse(
    gateway: GatewayStandIn, action: Action, step: int, fault: Any, code: str
) -> None:
    before(gateway, action)
    untouched = held(gateway)
    order, back = ORDER[action.action], BACK[action.action]
    gateway.fails(order[step], fault, times=100)

    error = failed(gateway, action)

    undone = [f"{'PUT' if action.action == 'delete' else 'DELETE'} {one.partition(' ')[2]}" for one in order]
    if action.action == "update":
        undone = back
    assert isinstance(error, RequestRefusedError)
    assert error.code == code
    assert gateway.writes() == [*order[: step + 1], *reversed(undone[:step])]
    assert error.done == ()
    assert ("; taken back: " in error.message) is (step > 0)
    assert held(gateway) == untouched


@pytest.mark.parametrize("step", [0, 1, 2])
@pytest.mark.parametrize("action", [CREATE, UPDATE, DELETE], ids=lambda one: one.action)
def test_a_step_that_is_seen_although_its_answer_was_lost_is_done(
    gateway: GatewayStandIn, action: Action, step: int
) -> None:
    before(gateway, action)
    gateway.fails(ORDER[action.action][step], breaks_off, carried_out=True)

    provider_of(gateway).execute(action)

    assert gateway.writes() == ORDER[action.action]
    assert live(gateway) == action.after


@pytest.mark.parametrize("fault", [breaks_off, hangs], ids=["broken off", "hanging"])
@pytest.mark.parametrize("step", [0, 1, 2])
@pytest.mark.parametrize("action", [CREATE, UPDATE, DELETE], ids=lambda one: one.action)
def test_a_step_without_an_answer_that_is_not_seen_is_in_doubt(
    gateway: GatewayStandIn, action: Action, step: int, fault: Any
) -> None:
    before(gateway, action)
    untouched = held(gateway)
    order = ORDER[action.action]
    gateway.fails(order[step], fault)

    error = failed(gateway, action, 0.5)

    assert isinstance(error, OutcomeUnknownError)
    assert f"to be looked at, because nobody knows what is there: {_called(order[step])}" in error.message
    assert len(gateway.writes()) == 2 * step + 1
    assert gateway.writes().count(order[step]) == 1
    assert held(gateway) == untouched


def _called(request: str) -> str:
    name = request.partition(" ")[2]
    return f"alias topic '{name}'" if name == NAME else f"interceptor '{name}'"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "its answer cannot be read"),
        (b"[" * 100_000, "its answer cannot be read"),
        (b" " * 17_000_000, "its answer cannot be read"),
        ([], "it does not say what became of it"),
        ({"resource": alias(NAME, "shop.orders")}, "it does not say what became of it"),
        (
            {"resource": alias(NAME, "shop.orders"), "upsertResult": "CREATED"},
            "it does not say what became of it",
        ),
        (
            {"resource": alias(NAME, "shop.orders"), "upsertResult": "Created", "more": 1},
            "it does not say what became of it",
        ),
        ({"resource": alias("other", "shop.orders"), "upsertResult": "Created"}, "another resource"),
        ({"resource": alias(NAME, "elsewhere"), "upsertResult": "Created"}, "another resource"),
        ({"resource": alias(NAME, "shop.orders", "team"), "upsertResult": "Created"}, "another resource"),
        (
            {"resource": alias(NAME, "shop.orders", extra=1), "upsertResult": "Created"},
            "another resource",
        ),
        ({"resource": {}, "upsertResult": "Created"}, "its answer cannot be read"),
    ],
)
def test_a_put_that_is_answered_with_something_else_has_failed(
    gateway: GatewayStandIn, body: Any, words: str
) -> None:
    gateway.fails(f"PUT {NAME}", answers(200, body), carried_out=True)

    error = failed(gateway, CREATE)

    assert isinstance(error, RequestRefusedError)
    assert words in error.message
    assert error.message.endswith("; taken back: alias topic 'orders.eu'")
    assert gateway.writes() == [f"PUT {NAME}", f"DELETE {NAME}"]
    assert live(gateway) is None


@pytest.mark.parametrize("status", [201, 202, 204])
def test_another_status_of_success_is_none(gateway: GatewayStandIn, status: int) -> None:
    gateway.fails(f"PUT {NAME}", answers(status))

    error = failed(gateway, CREATE)

    assert isinstance(error, RequestRefusedError)
    assert f"it answers with status {status}" in error.message
    assert gateway.writes() == [f"PUT {NAME}"]


def test_a_deletion_that_is_answered_with_200_has_failed(gateway: GatewayStandIn) -> None:
    hold(gateway, WHOLE)
    untouched = held(gateway)
    gateway.fails(f"DELETE {MASK}", answers(200, {}), carried_out=True)

    error = failed(gateway, DELETE)

    assert "it answers with status 200" in error.message
    assert gateway.writes() == [f"DELETE {FILTER}", f"DELETE {MASK}", f"PUT {MASK}", f"PUT {FILTER}"]
    assert {str(key): one for key, one in gateway.interceptors.items()} == {
        str(key): one for key, one in untouched[1].items()
    }


def test_what_is_gone_when_it_is_to_be_deleted_is_a_conflict(gateway: GatewayStandIn) -> None:
    hold(gateway, WHOLE)

    def taken_away(handler: Handler) -> None:
        gateway.interceptors.pop((MASK, "passthrough", "", ""))
        answers(404, {"title": "The given interceptor does not exist"})(handler)

    gateway.fails(f"DELETE {MASK}", taken_away)

    error = failed(gateway, DELETE)

    assert isinstance(error, PreimageMovedError)
    assert error.fields == (f"interceptor '{MASK}'",)
    assert gateway.writes() == [f"DELETE {FILTER}", f"DELETE {MASK}", f"PUT {FILTER}"]


def test_what_somebody_makes_at_the_same_time_is_left_and_named(gateway: GatewayStandIn) -> None:
    def made_by_another(handler: Handler) -> None:
        theirs = {"resource": gateway.aliases["passthrough", NAME], "upsertResult": "Updated"}
        answers(200, theirs)(handler)

    gateway.fails(f"PUT {NAME}", made_by_another, carried_out=True)

    error = failed(gateway, CREATE)

    assert isinstance(error, OutcomeUnknownError)
    assert error.message == (
        "alias topic 'orders.eu' is not as it was when this was planned: somebody else changed it at the same time; "
        "to be looked at, because nobody knows what is there: alias topic 'orders.eu'"
    )
    assert gateway.writes() == [f"PUT {NAME}"]


def test_what_cannot_be_taken_back_is_said_and_the_rest_is(
    gateway: GatewayStandIn,
) -> None:
    gateway.fails(f"PUT {MASK}", answers(400, {"title": "no"}))
    gateway.fails(f"DELETE {FILTER}", answers(403, {"title": "no"}), times=9)

    error = failed(gateway, CREATE)

    assert isinstance(error, RequestRefusedError)
    assert error.done == (f"interceptor '{FILTER}'",)
    assert error.message.endswith(
        f"; taken back: alias topic '{NAME}'; not taken back: interceptor '{FILTER}'"
    )
    assert gateway.writes() == [*ORDER["create"], f"DELETE {FILTER}", f"DELETE {NAME}"]
    assert live(gateway) == {"alias": None, "interceptors": [filtering()]}


def test_a_gateway_that_falls_silent_on_the_way_back_leaves_doubt(
    gateway: GatewayStandIn,
) -> None:
    gateway.fails(f"PUT {MASK}", answers(400, {"title": "no"}))
    gateway.fails(f"DELETE {FILTER}", breaks_off)
    gateway.fails(f"DELETE {NAME}", breaks_off)

    error = failed(gateway, CREATE)

    assert isinstance(error, OutcomeUnknownError)
    assert error.message.endswith(f"nobody knows what is there: interceptor '{FILTER}', alias topic '{NAME}'")


def test_interceptors_of_others_are_never_touched(gateway: GatewayStandIn) -> None:
    foreign = interceptor(
        "audit", "FieldLevelDataMaskingPlugin", {"topic": "^orders\\.eu$"}, vCluster="passthrough"
    )
    gateway.interceptors["audit", "passthrough", "", ""] = deepcopy(foreign)
    gateway.aliases["passthrough", "orders.us"] = alias("orders.us", "shop.orders")

    for action in (CREATE, UPDATE, planned("delete", OTHER, None)):
        provider_of(gateway).execute(action)

    assert gateway.interceptors == {("audit", "passthrough", "", ""): foreign}
    assert gateway.aliases == {("passthrough", "orders.us"): alias("orders.us", "shop.orders")}
    assert not any("audit" in one or "orders.us" in one for one in gateway.writes())


def test_what_is_not_known_here_comes_back_as_it_was(gateway: GatewayStandIn) -> None:
    hold(gateway, WHOLE)
    odd = gateway.interceptors[FILTER, "passthrough", "", ""]
    odd["spec"]["comment"] = "by hand"
    untouched = held(gateway)
    there = live(gateway)
    gateway.fails(f"DELETE {MASK}", answers(400, {"title": "no"}))

    failed(gateway, planned("delete", there, None))

    assert held(gateway) == untouched


def test_a_group_that_does_not_exist_is_told_in_the_words_of_the_gateway(gateway: GatewayStandIn) -> None:
    error = failed(gateway, planned("create", None, rule(masking(group="nobody"))))

    assert error.message == (
        f"Conduktor Gateway refuses to have interceptor '{MASK}' of group 'nobody' made: The virtual cluster or "
        f"the group specified in the scope does not exist; taken back: alias topic '{NAME}'"
    )


def test_no_message_has_a_secret_or_a_value_of_a_configuration(gateway: GatewayStandIn) -> None:
    statement = "SELECT * FROM t WHERE card = '4000-1234'"
    told = {
        "title": "no",
        "msg": f"cannot parse {statement}, near '4000-1234'; login admin:conduktor@gateway",
    }
    gateway.fails(f"PUT {FILTER}", answers(400, told))

    action = planned("create", None, rule(filtering(statement)))
    error = failed(gateway, action)

    assert "cannot parse ***, near '***'" in error.message
    for shown in (error.message, repr(error), repr(action)):
        assert "4000" not in shown
        assert "conduktor@" not in shown
    assert error.__cause__ is None


@pytest.mark.parametrize(
    ("condition", "quoted"),
    [
        ("region = 'EU'", "'EU'"),
        ("amount > 4711", "4711"),
        ("amount < -12.5", "-12.5"),
        ("x <> 'abc'", "abc"),
    ],
)
def test_a_literal_of_a_condition_is_told_in_no_message(
    gateway: GatewayStandIn, condition: str, quoted: str
) -> None:
    gateway.fails(f"PUT {FILTER}", answers(400, {"title": f"no {quoted} in {condition} here"}))

    error = failed(gateway, planned("create", None, rule(filtering(f"SELECT * FROM t WHERE {condition}"))))

    assert quoted not in error.message
    assert " here" in error.message


def test_an_alias_of_another_virtual_cluster_is_another_alias(gateway: GatewayStandIn) -> None:
    gateway.clusters.add("team")
    gateway.aliases["passthrough", NAME] = alias(NAME, "theirs")
    after: Surface = {"alias": {**rule()["alias"], "vCluster": "team"}, "interceptors": []}

    provider_of(gateway, virtual_cluster="team").execute(planned("create", None, after))

    assert gateway.aliases["team", NAME] == alias(NAME, "shop.orders", "team")
    assert gateway.aliases["passthrough", NAME] == alias(NAME, "theirs")


def test_a_created_rule_is_taken_back_if_it_is_as_it_was_created(gateway: GatewayStandIn) -> None:
    provider_of(gateway).execute(CREATE)
    gateway.forget()

    assert provider_of(gateway).undo(CREATE) is True
    assert gateway.told() == [*GETS, *ORDER["delete"]]
    assert live(gateway) is None


@pytest.mark.parametrize("action", [UPDATE, DELETE], ids=lambda one: one.action)
def test_nothing_else_is_taken_back(gateway: GatewayStandIn, action: Action) -> None:
    assert provider_of(gateway).undo(action) is False
    assert gateway.told() == []


def test_a_created_rule_that_somebody_changed_is_left(gateway: GatewayStandIn) -> None:
    hold(gateway, OTHER)

    assert provider_of(gateway).undo(CREATE) is False
    assert gateway.writes() == []
