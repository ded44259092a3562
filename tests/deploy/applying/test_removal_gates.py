"""Removals that are applied: what is asked for before, what is deleted, and how a deletion fails.

Gateway rules are those of a stand-in for Conduktor Gateway, which cannot be had.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from applied import NOWHERE, apply, codes, control, state, state_files, told
from durable import operation, order, removal, topic
from gateway_resources import alias
from gateway_stand_in import GatewayStandIn, gateway_stand_in
from http_stand_in import answers
from program import Done, run_streamt
from recovered import recover, recovery_plan

from streamt_ol.deploy.applying.records import Kept, OperationFailedError
from streamt_ol.deploy.providers.errors import OutcomeUnknownError, PreimageMovedError, RequestRefusedError
from streamt_ol.deploy.state.local import LocalBackend
from streamt_ol.deploy.state.records import IntendedAction, Intent, Progress
from streamt_ol.deploy.state.state_file import state_checksum

VIEW = "streamt://shop/default/gateway_rule/view"
AT = "/lifecycle/gateway_rule_removals/0"
HELD = ("passthrough", "orders.eu")


@pytest.fixture
def gateway() -> Iterator[GatewayStandIn]:
    with gateway_stand_in() as running:
        yield running


class Shop:
    """A project with a virtual topic on the Gateway, and then without it."""

    def __init__(self, folder: Path, gateway: GatewayStandIn) -> None:
        self.folder = folder
        self.plan = folder.parent / "removal.plan"
        self._gateway = gateway

    def writes(self, environments: Mapping[str, Any] | None = None, **more: Any) -> None:
        self.folder.mkdir(exist_ok=True)
        runtime = {"kafka": {"bootstrap_servers": NOWHERE}, **self._gateway.runtime()}
        document = {
            "apiVersion": "streamt.dev/v1alpha1",
            "project": {"name": "shop"},
            "sources": [{"name": "orders", "topic": "shop.orders"}],
            **more,
        }
        if environments is None:
            document["runtime"] = runtime
        for name, says in (environments or {}).items():
            (self.folder / "environments").mkdir(exist_ok=True)
            content = json.dumps({"runtime": runtime, **says})
            (self.folder / "environments" / f"{name}.yml").write_text(content, "utf-8")
        (self.folder / "stream_project.yml").write_text(json.dumps(document), "utf-8")

    def declares(self, environments: Mapping[str, Any] | None = None) -> None:
        view = {
            "name": "view",
            "sql": "SELECT * FROM {{ source('orders') }}",
            "materialized": "virtual_topic",
            "gateway": {"virtual_topic": {"name": "orders.eu"}},
            "security": {"policies": [{"mask": {"column": "email", "method": "redact"}}]},
        }
        self.writes(environments, models=[view])

    def removes(self, environments: Mapping[str, Any] | None = None, **says: Any) -> None:
        prior = {"name": "orders.eu", "virtualTopic": "orders.eu", "physicalTopic": "shop.orders"}
        removal = {"logical_owner": "view", "prior_artifact": {**prior, "interceptors": ["mask"], **says}}
        self.writes(environments, lifecycle={"gateway_rule_removals": [removal]})

    def plans(self, *arguments: str) -> dict[str, Any]:
        done = run_streamt("--output", "json", "plan", "-p", self.folder, *arguments)
        assert done.exit_status == 0, done.stdout
        data: dict[str, Any] = told(done)["data"]
        return data

    def applies(self, *arguments: str) -> Done:
        return apply(self.folder, "--plan", self.plan, *arguments)


@pytest.fixture
def shop(tmp_path: Path, gateway: GatewayStandIn) -> Shop:
    """Return a project whose rule was applied and is to be removed, with a saved plan that does it."""
    made = Shop(tmp_path / "shop", gateway)
    made.declares()
    assert apply(made.folder).exit_status == 0
    assert set(gateway.aliases) == {HELD}
    made.removes()
    made.plans("--out", str(made.plan))
    gateway.forget()
    return made


# deletions


def test_a_deletion_that_is_not_allowed_takes_force(shop: Shop, gateway: GatewayStandIn) -> None:
    locked = shop.applies()

    assert (locked.exit_status, codes(locked)) == (1, ["E503_ENVIRONMENT_ERROR"])
    error = told(locked)["errors"][0]
    assert error["message"] == (
        "the plan deletes gateway_rule:orders.eu, which environment 'default' does not allow "
        "(safety.allow_destructive)"
    )
    assert error["suggestion"] == "if that is meant, add --force"
    assert gateway.writes() == []
    assert VIEW in state(shop.folder)["resources"]

    forced = shop.applies("--force")

    data = told(forced)["data"]
    assert (forced.exit_status, data["deleted"], data["committed"]) == (0, ["gateway_rule:orders.eu"], True)
    assert [one["verdict"] for one in data["gateway_removal_assessments"]] == ["delete"]
    assert gateway.writes() == ["DELETE orders.eu_mask_0", "DELETE orders.eu"]
    assert (gateway.aliases, gateway.interceptors) == ({}, {})
    assert state(shop.folder)["resources"] == {}


def test_where_deletions_are_allowed_they_take_no_force(tmp_path: Path, gateway: GatewayStandIn) -> None:
    allowing = {"dev": {"environment": {"name": "dev"}, "safety": {"allow_destructive": True}}}
    shop = Shop(tmp_path / "shop", gateway)
    shop.declares(allowing)
    assert apply(shop.folder, "-e", "dev").exit_status == 0
    shop.removes(allowing)
    shop.plans("-e", "dev", "--out", str(shop.plan))

    assert shop.applies("-e", "dev").exit_status == 0
    assert gateway.aliases == {}


def test_what_was_removed_is_told_as_removed(shop: Shop, gateway: GatewayStandIn) -> None:
    assert shop.applies("--force").exit_status == 0
    gateway.forget()

    data = shop.plans("--out", str(shop.plan))
    again = shop.applies()

    assert (data["has_changes"], data["deletes"], data["is_apply_blocked"]) == (False, 0, False)
    assert [one["verdict"] for one in data["gateway_removal_assessments"]] == ["removed"]
    assert (again.exit_status, told(again)["data"]["deleted"], gateway.writes()) == (0, [], [])


def test_of_what_is_gone_only_the_record_goes_and_that_is_said(shop: Shop, gateway: GatewayStandIn) -> None:
    gateway.aliases.clear()
    gateway.interceptors.clear()
    data = shop.plans("--out", str(shop.plan))
    assert (data["deletes"], data["has_changes"]) == (0, True)

    done = shop.applies()

    data = told(done)["data"]
    assert (done.exit_status, data["deleted"], data["forgotten"]) == (0, [], ["gateway_rule:orders.eu"])
    assert gateway.writes() == []
    assert state(shop.folder)["resources"] == {}


def test_people_read_what_is_removed_and_what_is_forgotten(shop: Shop, gateway: GatewayStandIn) -> None:
    planned = run_streamt("plan", "-p", shop.folder).stdout
    assert "- gateway_rule orders.eu\n" in planned
    assert "0 to create, 0 to update, 1 to delete, 0 unchanged; risk: destructive\n" in planned
    gateway.aliases.clear()
    gateway.interceptors.clear()
    shop.plans("--out", str(shop.plan))

    done = run_streamt("apply", "-p", shop.folder, "--plan", shop.plan)

    assert done.stdout.splitlines()[:2] == [
        "forget    gateway_rule:orders.eu  its record: it is not there any more",
        "Nothing done, 0 unchanged. The state has serial 2.",
    ]


# gates


def test_a_rule_that_somebody_changed_since_is_not_deleted(shop: Shop, gateway: GatewayStandIn) -> None:
    gateway.aliases[HELD] = alias("orders.eu", "shop.payments")

    done = shop.applies("--force")

    assert codes(done) == ["E409_PLAN_STALE"]
    assert gateway.writes() == []


def test_a_rule_that_is_not_as_declared_blocks_the_plan(shop: Shop, gateway: GatewayStandIn) -> None:
    shop.removes(interceptors=["filter"])

    data = shop.plans("--out", str(shop.plan))
    done = shop.applies("--force")

    assert data["safety_blockers"][0]["code"] == "gateway_removal_state_provider_drift"
    assert (data["is_apply_blocked"], data["changes"]) == (True, [])
    assert codes(done) == ["E417_SAFETY_BLOCKED"]
    assert told(done)["errors"][0]["location"] == AT
    assert told(done)["errors"][0]["line"] == 1
    assert gateway.writes() == []


def test_offline_a_removal_is_blocked_and_nothing_is_asked(shop: Shop, gateway: GatewayStandIn) -> None:
    data = shop.plans("--offline")

    assert [one["code"] for one in data["safety_blockers"]] == ["gateway_removal_offline_unverified"]
    assert data["gateway_removal_assessments"][0]["live"] == "unverified"
    assert gateway.requests == []


def test_a_removal_without_its_gateway_is_refused(shop: Shop, gateway: GatewayStandIn) -> None:
    document = json.loads((shop.folder / "stream_project.yml").read_text("utf-8"))
    del document["runtime"]["conduktor"]
    (shop.folder / "stream_project.yml").write_text(json.dumps(document), "utf-8")

    planned = run_streamt("--output", "json", "plan", "-p", shop.folder)

    assert (planned.exit_status, codes(planned)) == (1, ["E208_MISSING_CONFIG"])
    assert gateway.requests == []


def test_a_service_that_is_needed_and_has_no_address_stops_an_apply(
    tmp_path: Path, gateway: GatewayStandIn
) -> None:
    shop = Shop(tmp_path / "shop", gateway)
    shop.declares()
    path = shop.folder / "stream_project.yml"
    document = json.loads(path.read_text("utf-8"))
    document["runtime"]["conduktor"] = {"gateway": {}}
    path.write_text(json.dumps(document), "utf-8")

    done = apply(shop.folder)

    assert codes(done) == ["E208_MISSING_CONFIG"]
    assert told(done)["errors"][0]["location"] == "/runtime/conduktor/gateway/admin_url"
    assert state_files(shop.folder) == set()


# deletions that fail


def test_a_deletion_that_fails_is_recovered_by_what_is_there(
    shop: Shop, gateway: GatewayStandIn, tmp_path: Path
) -> None:
    gateway.fails("DELETE orders.eu", answers(409, {"title": "in use"}))
    failed = shop.applies("--force")

    assert codes(failed) == ["E407_DEPLOY_ERROR"]
    assert told(failed)["data"]["failed"] == "gateway_rule:orders.eu"
    assert control(shop.folder)["recovery"]["failure_code"] == "runtime_action_failed"
    assert set(gateway.aliases) == {HELD}  # and its interceptor was put back
    recovery = tmp_path / "recovery.json"
    assert recovery_plan(shop.folder, "rolled_back", recovery).exit_status == 0
    recovered = recover(shop.folder, recovery)
    assert (recovered.exit_status, told(recovered)["data"]["operation_status"]) == (0, {"status": "clear"})
    assert VIEW in state(shop.folder)["resources"]
    shop.plans("--out", str(shop.plan))
    assert shop.applies("--force").exit_status == 0
    assert state(shop.folder)["resources"] == {}


def test_a_deletion_that_was_not_seen_to_end_is_observed(
    shop: Shop, gateway: GatewayStandIn, tmp_path: Path
) -> None:
    evidence = json.loads(shop.plan.read_text("utf-8"))["actions"][0]["gateway_evidence"]
    backend = LocalBackend(shop.folder, "shop", "default")
    now, operation_id = "2026-03-01T10:00:00.000000Z", "11111111-1111-4111-8111-111111111111"
    deletion = IntendedAction(0, VIEW, "delete", "orders.eu", evidence["before"], None, None)
    with backend.authority(0) as authority:
        observed = authority.observe()
        serial, checksum = observed.snapshot.serial, state_checksum(observed.snapshot)
        intent = Intent(operation_id, "apply", now, "local-cli", serial, checksum, None, (deletion,))
        authority.begin(intent, observed)
        authority.progress(Progress(operation_id, 0, VIEW, "delete", "started", None, now))
    gateway.aliases.clear()
    gateway.interceptors.clear()
    recovery = tmp_path / "recovery.json"

    planned = recovery_plan(shop.folder, "observed", recovery)
    recovered = recover(shop.folder, recovery)

    assert [one["stands"] for one in told(planned)["data"]["targets"]] == ["candidate"]
    assert recovered.exit_status == 0
    assert state(shop.folder)["resources"] == {}
    assert told(recovered)["data"]["operation_status"] == {"status": "clear"}


MADE = order(topic(0), removal(1), topic(2))


def ended(error: BaseException) -> OperationFailedError:
    done = operation(MADE, {"delete c1": error})
    with pytest.raises(OperationFailedError) as caught:
        done.do()
    assert "undo t0" not in done.journal.steps
    assert "create t2" not in done.journal.steps
    marker = {"E428_CONNECTOR_REMOVAL_DRIFT": "connector_removal_drift"}
    code = caught.value.errors[0].code
    assert f"mark {marker.get(code, 'runtime_action_failed')}" in done.journal.steps
    return caught.value


def test_a_connector_not_removed_as_planned_is_drift() -> None:
    failed = ended(PreimageMovedError("it is another one", ("tasks.max",)))

    assert [one.code for one in failed.errors] == ["E428_CONNECTOR_REMOVAL_DRIFT"]
    assert failed.errors[0].message == "connector:c1: delete failed: it is another one"
    assert failed.report.failed == MADE.actions[1]
    why = "nothing is taken back when the removal of a connector fails"
    assert failed.report.kept == (Kept(MADE.actions[0], why),)


def test_a_removal_that_is_refused_takes_nothing_back_either() -> None:
    failed = ended(RequestRefusedError("E404_AUTH_FAILED", "not allowed"))

    assert [one.code for one in failed.errors] == ["E407_DEPLOY_ERROR"]
    assert (failed.report.undone, len(failed.report.kept)) == ((), 1)


def test_a_connector_not_seen_to_be_gone_is_drift_in_doubt() -> None:
    failed = ended(OutcomeUnknownError("no answer came"))

    assert [one.code for one in failed.errors] == ["E428_CONNECTOR_REMOVAL_DRIFT"]
    assert (failed.report.doubtful, failed.report.failed, failed.report.kept) == (MADE.actions[1], None, ())


# the plan is shown before an apply acts


def test_an_apply_shows_its_plan_before_it_acts(tmp_path: Path, gateway: GatewayStandIn) -> None:
    shop = Shop(tmp_path / "shop", gateway)
    shop.declares()
    gateway.fails("PUT orders.eu", answers(403, {"title": "not allowed"}))

    failed = run_streamt("apply", "-p", shop.folder)

    lines = failed.stdout.splitlines()
    assert lines[0] == "Plan for project 'shop', environment 'default'"
    assert "1 to create, 0 to update, 0 to delete, 0 unchanged; risk: safe" in lines
    assert lines.index("+ gateway_rule orders.eu") < lines.index("create    gateway_rule:orders.eu  failed")


def test_an_apply_without_changes_shows_no_plan(tmp_path: Path, gateway: GatewayStandIn) -> None:
    shop = Shop(tmp_path / "shop", gateway)
    shop.declares()
    assert apply(shop.folder).exit_status == 0

    done = run_streamt("apply", "-p", shop.folder)

    assert done.stdout.splitlines()[0] == "Nothing to do, 1 unchanged. The state has serial 1."


def test_a_reviewed_plan_is_not_shown_again(shop: Shop) -> None:
    done = run_streamt("apply", "-p", shop.folder, "--plan", shop.plan, "--force")

    assert done.stdout.splitlines()[0] == "delete    gateway_rule:orders.eu  done"
    assert state_files(shop.folder) >= {"default.json"}
