"""`streamt adopt` of what the state already has: under the name of a model that is gone."""

from __future__ import annotations

import json
from pathlib import Path

from applied import codes, state, topic, write_project
from brokers import Broker
from program import run_streamt


def test_a_renamed_model_takes_its_topic_along_once_that_is_adopted(broker: Broker, tmp_path: Path) -> None:
    there = broker.new_topic()
    before = topic("orders", mode="adopted") | {"topic": {"name": there}}
    write_project(tmp_path, before, address=broker.address)
    assert run_streamt("adopt", f"topic:{there}", "-p", tmp_path, "--confirm").exit_status == 0

    write_project(tmp_path, {**before, "name": "renamed"}, address=broker.address)
    blocked = run_streamt("--output", "json", "apply", "-p", tmp_path)
    shown = run_streamt("--output", "json", "adopt", f"topic:{there}", "-p", tmp_path, "--confirm")
    after = run_streamt("--output", "json", "apply", "-p", tmp_path)

    assert codes(blocked) == ["E410_OWNERSHIP_REQUIRED"]
    given_up = json.loads(shown.stdout)["data"]["given_up"]
    assert [one.rpartition("/")[2] for one in given_up] == ["orders"]
    assert json.loads(after.stdout)["data"]["unchanged"] == [f"topic:{there}"]
    assert [one.rpartition("/")[2] for one in state(tmp_path)["resources"]] == ["renamed"]
