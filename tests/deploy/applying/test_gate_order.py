"""The order of the gates: an apply asks about them in the order of their rows, and of the words of their domain."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from applied import write_project
from durable import topic as topic_action
from finite_runs import RULES
from program import run_streamt

from streamt_ol.deploy.applying.errors import GateError
from streamt_ol.deploy.applying.gates import Gates


def test_an_apply_asks_about_gates_in_the_order_of_their_rows(tmp_path: Path) -> None:
    folder, trace = write_project(tmp_path / "p"), tmp_path / "trace.jsonl"

    assert run_streamt("--trace", trace, "apply", "-p", folder).exit_status == 0

    asked = [json.loads(line) for line in trace.read_bytes().splitlines()]
    gates = [decision["at"] for decision in asked if decision["table"] == "apply-gates"]
    rows = dict.fromkeys(row.then["gate"] for row in RULES.table("apply-gates").rows)
    assert gates == [gate for gate in rows if gate != "any"]
    assert gates == list(RULES.vocabulary.domains["apply_gate"])[1:]


def test_what_is_deleted_is_named_where_it_is_not_allowed() -> None:
    gates = Gates(RULES, "prod", "plan.json")
    deleted = topic_action(0, "delete")

    with pytest.raises(GateError) as caught:
        gates.at("deletions", f"topic:{deleted.physical_name}", deletion_locked=True)

    assert caught.value.code == "E503_ENVIRONMENT_ERROR"
    assert caught.value.message == (
        "the plan deletes topic:t0, which environment 'prod' does not allow (safety.allow_destructive)"
    )
    assert caught.value.suggestion == "if that is meant, add --force"


def test_the_first_finding_of_a_gate_is_the_one_that_is_told() -> None:
    gates = Gates(RULES, "prod", "plan.json")

    gates.at("confirmation", environment_mismatch=False, unconfirmed=False)
    with pytest.raises(GateError, match="names another environment"):
        gates.at("confirmation", environment_mismatch=True, unconfirmed=True)
