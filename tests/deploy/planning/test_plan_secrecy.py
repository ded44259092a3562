"""No secret is in a plan, whatever it is looked at with."""

from __future__ import annotations

import json
import re
import traceback
from pathlib import Path

import pytest
from planned import NOTHING, Compiled, known, planned, surface, there, wanted

from streamt_ol.deploy.planning.errors import PlanFileError
from streamt_ol.deploy.planning.plan_file import parse_plan, plan_bytes
from streamt_ol.deploy.planning.plan_text import plan_lines
from streamt_ol.deploy.planning.records import Plan
from streamt_ol.deploy.planning.redacting import redacted
from streamt_ol.deploy.planning.reviewed import reviewed_plan
from streamt_ol.deploy.planning.staleness import require_current

SECRET = "hunter2-s3cr3t"
NAMED = re.compile("hunter2")
CONFIG = {
    "sasl.jaas.config": f'Login required username="u" password="{SECRET}-jaas";',
    "confluent.value.schema.token": f"{SECRET}-token",
    "remote.storage.api.key": f"{SECRET}-key",
    "follower.endpoint": f"https://u:{SECRET}-url@replica.example",
    "remark": f"password={SECRET}-text",
}


@pytest.fixture
def made(tmp_path: Path) -> Compiled:
    return wanted(
        tmp_path / "project",
        runtime={
            "kafka": {"bootstrap_servers": f"u:{SECRET}@broker.example:9092", "sasl_password": SECRET},
            "connect": {"default": "c", "clusters": {"c": {"rest_url": "http://connect.example"}}},
        },
        connections={"warehouse": {"type": "jdbc", "config": {"connection.password": f"{SECRET}-jdbc"}}},
        models=[
            {"name": "a", "topic": {"config": CONFIG}},
            {
                "name": "archive",
                "from": [{"ref": "a"}],
                "sink": {
                    "connector": "jdbc-sink",
                    "connection": "warehouse",
                    "config": {"aws.secret.key": f"{SECRET}-sink"},
                },
            },
        ],
    )


def plans(made: Compiled) -> list[Plan]:
    other = {
        name.replace(".", "__"): f"{SECRET}-live"
        for name in CONFIG
        if name not in {"follower.endpoint", "remark"}
    }
    return [
        planned(made.desired, NOTHING, there(a=None)),
        planned(made.desired, known("a"), there(a=surface(**other))),
        planned(made.desired, NOTHING, None),
    ]


def test_no_secret_is_in_a_file_a_text_or_a_repr(made: Compiled) -> None:
    for plan in plans(made):
        assert plan.actions
        shown = [
            plan_bytes(reviewed_plan(made.context(), plan)).decode(),
            *(line.text for line in plan_lines(plan)),
            repr(plan),
            repr(made.desired),
            repr(made.context()),
            repr(reviewed_plan(made.context(), plan)),
            *map(repr, plan.actions),
        ]
        assert [text for text in shown if NAMED.search(text)] == []


def test_the_settings_themselves_are_carried_out(made: Compiled) -> None:
    (create, _connector) = plans(made)[0].actions

    assert create.after is not None
    assert create.after["config"] == CONFIG


def test_what_differs_is_told_without_secrets(made: Compiled) -> None:
    first, second, _offline = (reviewed_plan(made.context(), plan) for plan in plans(made))
    with pytest.raises(Exception, match="not current") as refused:
        require_current(first, second)

    assert NAMED.search("".join(traceback.format_exception(refused.value))) is None


def test_a_damaged_file_is_not_quoted(made: Compiled) -> None:
    data = plan_bytes(reviewed_plan(made.context(), plans(made)[0]))
    for cut in range(0, len(data), 97):
        with pytest.raises(PlanFileError) as refused:
            parse_plan(data[:cut] + SECRET.encode() + data[cut:])
        assert NAMED.search("".join(traceback.format_exception(refused.value))) is None


def test_whatever_is_named_as_a_secret_is_struck_out() -> None:
    value = {
        "sasl_password": "a",
        "apiKey": ["a", "b"],
        "auth": {"basic.auth.user.info": "u:p", "Authorization": {"scheme": "Bearer"}},
        "credentials": 7,
        "private_key": None,
        "limit": 1.5,
        "address": "kafka://u:p@broker.example",
    }

    assert redacted(value) == {
        "sasl_password": "***",
        "apiKey": "***",
        "auth": {"basic.auth.user.info": "***", "Authorization": "***"},
        "credentials": "***",
        "private_key": None,
        "limit": 1.5,
        "address": "kafka://***@broker.example",
    }
    assert json.loads(json.dumps(redacted(value))) == redacted(redacted(value))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1: "a"}, {"a": {1, 2}}, object()])
def test_what_json_does_not_have_is_in_no_plan(value: object) -> None:
    with pytest.raises(PlanFileError):
        redacted(value)
