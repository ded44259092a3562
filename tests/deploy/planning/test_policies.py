"""What the settings of an environment demand."""

from __future__ import annotations

import pytest
from checked import packaged_rules

from streamt_ol.deploy.planning.policies import Demands, demands
from streamt_ol.project.records import Environment

NOTHING = Demands(reviewed_plan=False, confirmation=False, force=True, remote_state=False)


def test_without_settings_deletions_alone_demand_something() -> None:
    assert demands(Environment("default"), packaged_rules()) == NOTHING


def test_a_protected_environment_demands_review_and_confirmation() -> None:
    relaxed = {"confirm_apply": False, "require_reviewed_plan": False}

    assert demands(Environment("prod", protected=True, safety=relaxed), packaged_rules()) == NOTHING._replace(
        reviewed_plan=True, confirmation=True
    )


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("require_reviewed_plan", NOTHING._replace(reviewed_plan=True)),
        ("confirm_apply", NOTHING._replace(confirmation=True)),
        ("allow_destructive", NOTHING._replace(force=False)),
        ("require_remote_state", NOTHING._replace(remote_state=True)),
    ],
)
def test_each_setting_demands_one_thing(setting: str, expected: Demands) -> None:
    assert demands(Environment("test", safety={setting: True}), packaged_rules()) == expected
