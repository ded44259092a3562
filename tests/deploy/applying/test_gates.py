"""Gates that need no service: what each refuses, with nothing durable, nothing sent and nothing of run events read."""

from __future__ import annotations

import os
import shlex
from datetime import datetime, timezone
from pathlib import Path

import pytest
from applied import JOBS, answer, apply, codes, control, state_files, told, topic, write_project
from durable import order
from durable import topic as topic_action
from program import Done, run_streamt

from streamt_ol.deploy.applying.intents import intent_of
from streamt_ol.deploy.state.local import LocalBackend

PROD = {"prod": {"environment": {"name": "prod"}, "safety": {"confirm_apply": True}}}
REVIEWED = {"prod": {"environment": {"name": "prod", "protected": True}}}
REMOTE = {"prod": {"environment": {"name": "prod"}, "safety": {"require_remote_state": True}}}
REMOVED_CONNECTOR = {
    "lifecycle": {"connector_removals": [{"logical_owner": "sink", "name": "old", "cluster": "main"}]}
}
REMOVED_RULE = {
    "lifecycle": {
        "gateway_rule_removals": [
            {
                "logical_owner": "view",
                "prior_artifact": {
                    "name": "view",
                    "virtualTopic": "v",
                    "physicalTopic": "p",
                    "interceptors": [],
                },
            }
        ]
    }
}
SHARE = "keep the state in PostgreSQL: deployment_state.backend is postgres, and `streamt state init` makes the store"
UNREADABLE = {"OPENLINEAGE_CONFIG": "/nowhere/at/all.yml"}
"""Whoever reads the configuration of run events with this fails with E506."""


def refused(folder: Path, *arguments: str | Path) -> Done:
    """Apply with run events asked for, and return what was refused, with nothing left behind."""
    done = apply(folder, *arguments, *JOBS, environment=UNREADABLE)

    assert done.exit_status == 1
    assert state_files(folder) == set()
    return done


def message(done: Done) -> str:
    (error,) = told(done)["errors"]
    text: str = error["message"]
    return text


# reading and options


def test_a_project_that_cannot_be_read_is_refused_first(tmp_path: Path) -> None:
    folder = write_project(tmp_path, {"name": "m", "materialised": "topic"})

    assert codes(refused(folder, "--plan", tmp_path / "absent.json", "-t", "m")) == ["E501_PARSE_ERROR"]


def test_a_plan_and_a_selection_exclude_each_other(tmp_path: Path) -> None:
    folder = write_project(tmp_path, topic("orders"))

    for selection in (["--target", "orders"], ["--select", "tag:a"]):
        done = refused(folder, "--plan", tmp_path / "absent.json", *selection)
        assert codes(done) == ["E408_PLAN_FILE_INVALID"]
        assert (
            message(done) == "a reviewed plan is applied as a whole, so --plan excludes --target and --select"
        )


@pytest.mark.parametrize(
    "arguments",
    [[], ["--plan", "p", "--dry-run"], ["--plan", "p", "--target", "orders"], ["--select", "tag:a"]],
)
def test_the_removal_of_a_connector_needs_a_reviewed_plan(tmp_path: Path, arguments: list[str]) -> None:
    folder = write_project(tmp_path, topic("orders"), **REMOVED_CONNECTOR)

    assert codes(refused(folder, *arguments)) == ["E418_REVIEWED_PLAN_REQUIRED"]


def test_the_removal_of_a_connector_needs_remote_state(tmp_path: Path) -> None:
    folder = write_project(tmp_path, topic("orders"), **REMOVED_CONNECTOR)

    done = refused(folder, "--plan", tmp_path / "absent.json")

    assert codes(done) == ["E421_REMOTE_STATE_REQUIRED"]
    assert told(done)["errors"][0]["suggestion"] == SHARE


def test_the_removal_of_a_rule_needs_a_reviewed_plan(tmp_path: Path) -> None:
    folder = write_project(tmp_path, topic("orders"), **REMOVED_RULE)

    assert codes(refused(folder)) == ["E418_REVIEWED_PLAN_REQUIRED"]


# reviewed plans


@pytest.mark.parametrize("arguments", [[], ["--confirm"], ["--force"], ["--dry-run"]])
def test_a_protected_environment_takes_only_reviewed_plans(tmp_path: Path, arguments: list[str]) -> None:
    folder = write_project(tmp_path / "a shop", topic("orders"), environments=REVIEWED)

    done = refused(folder, "-e", "prod", *arguments)

    data = told(done)["data"]
    assert codes(done) == ["E418_REVIEWED_PLAN_REQUIRED"]
    assert data["environment"] == "prod"
    assert data["policy"] == ["protected"]
    assert data["required_workflow"] == "reviewed_plan"
    file = str(folder / ".streamt" / "reviewed-plan.json")
    assert [shlex.split(step) for step in data["next_steps"]] == [
        ["streamt", "plan", "-p", str(folder), "-e", "prod", "--out", file],
        ["streamt", "apply", "-p", str(folder), "-e", "prod", "--plan", file, "--confirm-env", "prod"],
    ]


def test_what_is_no_plan_is_refused(tmp_path: Path) -> None:
    folder = write_project(tmp_path, topic("orders"))
    plan = tmp_path / "plan.json"
    plan.write_text("{}", "utf-8")

    assert codes(refused(folder, "--plan", plan)) == ["E408_PLAN_FILE_INVALID"]
    assert codes(refused(folder, "--plan", tmp_path / "absent.json")) == ["E408_PLAN_FILE_INVALID"]


def test_a_plan_that_was_made_offline_is_refused(tmp_path: Path) -> None:
    folder = write_project(tmp_path, topic("orders"))
    plan = tmp_path / "plan.json"
    assert run_streamt("plan", "-p", folder, "--offline", "--out", plan).exit_status == 0

    done = refused(folder, "--plan", plan)

    assert codes(done) == ["E408_PLAN_FILE_INVALID"]
    assert message(done).startswith("the plan was made offline")


def test_local_state_is_refused_where_remote_state_is_demanded(tmp_path: Path) -> None:
    folder = write_project(tmp_path, topic("orders"), environments=REMOTE)

    done = refused(folder, "-e", "prod")

    assert codes(done) == ["E421_REMOTE_STATE_REQUIRED"]
    assert told(done)["errors"][0]["suggestion"] == SHARE


# confirmation


def test_without_a_terminal_the_confirmation_is_an_option(tmp_path: Path) -> None:
    folder = write_project(tmp_path, topic("orders"), environments=PROD)

    done = refused(folder, "-e", "prod")

    assert codes(done) == ["E503_ENVIRONMENT_ERROR"]
    assert told(done)["errors"][0]["suggestion"] == "confirm with --confirm-env prod"


@pytest.mark.parametrize("more", [[], ["--confirm"]])
def test_the_name_of_another_environment_confirms_nothing(tmp_path: Path, more: list[str]) -> None:
    folder = write_project(tmp_path, topic("orders"), environments={**PROD, "dev": {}})

    done = refused(folder, "-e", "prod", "--confirm-env", "dev", *more)

    assert codes(done) == ["E503_ENVIRONMENT_ERROR"]
    assert message(done) == "--confirm-env names another environment than the one that is changed, 'prod'"


def test_another_name_is_refused_where_no_confirmation_is_demanded_too(tmp_path: Path) -> None:
    folder = write_project(tmp_path, topic("orders"))

    assert codes(refused(folder, "--confirm-env", "prod")) == ["E503_ENVIRONMENT_ERROR"]


BROKEN = {"tests": [{"name": "t", "model": "nobody", "type": "schema", "assertions": []}]}
"""The gate after the confirmation refuses it: whoever sees that was let through."""


@pytest.mark.parametrize("confirmed", [["--confirm"], ["--confirm-env", "prod"]])
def test_either_option_confirms(tmp_path: Path, confirmed: list[str]) -> None:
    folder = write_project(tmp_path, topic("orders"), environments=PROD, **BROKEN)

    assert codes(refused(folder, "-e", "prod", *confirmed)) == ["E107_TEST_MODEL_NOT_FOUND"]


def test_at_a_terminal_the_exact_name_confirms(tmp_path: Path) -> None:
    folder = write_project(tmp_path, topic("orders"), environments=PROD, **BROKEN)

    status, shown = answer("prod", "apply", "-p", folder, "-e", "prod")

    assert status == 1
    assert "This changes the environment 'prod'. Type its name to go on" in shown
    assert "E107_TEST_MODEL_NOT_FOUND" in shown


@pytest.mark.parametrize("wrong", ["yes", "PROD", ""])
def test_at_a_terminal_any_other_answer_stops(tmp_path: Path, wrong: str) -> None:
    folder = write_project(tmp_path, topic("orders"), environments=PROD, **BROKEN)

    status, shown = answer(wrong, "apply", "-p", folder, "-e", "prod")

    assert status == 1
    assert "ERROR: E503_ENVIRONMENT_ERROR: the answer is not the name of the environment, 'prod'" in shown
    assert state_files(folder) == set()


def test_the_end_of_the_input_at_the_question_stops(tmp_path: Path) -> None:
    folder = write_project(tmp_path, topic("orders"), environments=PROD)

    status, shown = answer("\x04", "apply", "-p", folder, "-e", "prod")  # Ctrl-D, the end of the input

    assert status == 130
    assert "E591_INTERRUPTED" in shown


# the project


def test_a_project_that_breaks_its_rules_is_refused(tmp_path: Path) -> None:
    folder = write_project(tmp_path, topic("orders"), **BROKEN)

    assert codes(refused(folder)) == ["E107_TEST_MODEL_NOT_FOUND"]


def test_a_project_that_does_not_compile_is_refused(tmp_path: Path) -> None:
    folder = write_project(tmp_path, {**topic("orders"), "sql": "SELECT {{ nothing }}"})

    assert told(refused(folder))["errors"][0]["code"].startswith("E1")


def test_state_of_a_kind_that_is_not_there_is_refused(tmp_path: Path) -> None:
    store = {"backend": "postgres", "namespace": "n", "postgres": {"dsn_env": "DSN"}}
    folder = write_project(tmp_path, topic("orders"), deployment_state=store)

    assert codes(refused(folder)) == ["E420_STATE_BACKEND_UNAVAILABLE"]


# selection


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["-t", "nobody"], "--target names no model: 'nobody'"),
        (["-s", "tag:nothing"], "no model has the tag 'nothing'"),
        (["-s", "orders"], "--select takes tag:NAME"),
        (["-s", "tag:"], "--select takes tag:NAME"),
        (["-t", "orders", "-s", "tag:paid"], "--target and --select have no model in common"),
    ],
)
def test_a_selection_of_nothing_is_refused(tmp_path: Path, arguments: list[str], text: str) -> None:
    folder = write_project(tmp_path, topic("orders"), topic("payments", tags=["paid"]))

    done = refused(folder, *arguments)

    assert (codes(done), message(done)) == (["E501_PARSE_ERROR"], text)


# the lock and an operation that did not end


def backend_of(folder: Path) -> LocalBackend:
    return LocalBackend(folder, "shop", "default")


def test_a_lock_that_is_held_is_waited_for_and_then_named(tmp_path: Path) -> None:
    folder = write_project(tmp_path, topic("orders"))

    with backend_of(folder).authority(0):
        done = refused(folder, "--lock-timeout", "0")

    assert codes(done) == ["E422_STATE_LOCK_TIMEOUT"]
    assert f"process {os.getpid()}" in message(done)


def test_nothing_begins_before_an_operation_is_recovered(tmp_path: Path) -> None:
    folder = write_project(tmp_path, topic("orders"))
    backend = backend_of(folder)
    with backend.authority(0) as authority:
        authority.begin(intent_of(order(topic_action(0)), datetime.now(timezone.utc)), authority.observe())
    before = control(folder)

    done = apply(folder, *JOBS, environment=UNREADABLE)

    assert (done.exit_status, codes(done)) == (1, ["E419_STATE_RECOVERY_REQUIRED"])
    assert told(done)["errors"][0]["operation_id"] == before["intent"]["operation_id"]
    assert control(folder) == before


def test_brokers_that_cannot_be_reached_stop_an_apply(tmp_path: Path) -> None:
    folder = write_project(tmp_path, topic("orders"), address="127.0.0.1:1")

    assert codes(refused(folder)) == ["E406_CONNECTION_REFUSED"]


def test_a_variable_that_nothing_replaces_is_warned_about_before_anything_is_done(tmp_path: Path) -> None:
    sink = {"connector": "jdbc-sink", "config": {"user": "${SHOP_USER}"}}
    folder = write_project(
        tmp_path,
        topic("orders"),
        {"name": "lake", "from": [{"ref": "orders"}], "sink": sink},
        address="127.0.0.1:1",
        services={"connect": {"default": "c", "clusters": {"c": {"rest_url": "http://127.0.0.1:1"}}}},
    )

    warnings = told(refused(folder))["warnings"]

    assert [one["location"] for one in warnings if one["code"] == "W122_VARIABLE_NOT_REPLACED"] == [
        "/models/1/sink/config/user"
    ]


def test_without_the_flag_nothing_of_run_events_is_looked_at(tmp_path: Path) -> None:
    folder = write_project(tmp_path)
    bad = {"OPENLINEAGE_DISABLED": "perhaps", "OPENLINEAGE_URL": "https://me:pw@x.example", **UNREADABLE}

    done = apply(folder, environment=bad)

    assert done.exit_status == 0
    assert told(done)["data"]["committed"] is True
    assert "pw" not in done.stdout + done.stderr
