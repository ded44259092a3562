"""Before any work: namespaces, then events, then configuration, then the transport; the first failure wins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from finite_runs import BROKER, PROXY, RULES, RUN_ID, SCHEMAS, Memory, request

from streamt_ol.engine.ruleset import RuleSet, load_rules
from streamt_ol.ground.errors import StreamtError
from streamt_ol.ground.resources import rules_folder
from streamt_ol.lineage.needs import UnpinnedFacetError, require_pinned_facets
from streamt_ol.runs.config_errors import TransportConfigError
from streamt_ol.runs.lifecycle import prepare_run

JOB, KAFKA, GATEWAY = (
    "OPENLINEAGE_NAMESPACE",
    "STREAMT_OPENLINEAGE_KAFKA_NAMESPACE",
    "STREAMT_OPENLINEAGE_GATEWAY_NAMESPACE",
)
CODE = "E506_OPENLINEAGE_INVALID"


def refusal(rules: RuleSet = RULES, **says: Any) -> dict[str, Any]:
    """Return the refusal of a request as it is shown; no transport may be asked for."""
    with pytest.raises(StreamtError) as refused:
        prepare_run(request(**says), rules, SCHEMAS, _never)
    assert (refused.value.__cause__, refused.value.__context__) == (None, None)
    return refused.value.diagnostic().as_dict()


def _never(_variables: Any, _rules: Any) -> Memory:
    raise AssertionError("the configuration of the transport was read")


def inputs(**says: Any) -> set[str] | None:
    """Return the namespaces of the inputs of a run; None where it has no inputs."""
    memory = Memory()
    with prepare_run(request(**says), RULES, SCHEMAS, lambda _variables, _rules: memory) as run:
        run.start()
    found = memory.events[0].get("inputs")
    return None if found is None else {one["namespace"] for one in found}


def test_a_job_namespace_is_required_before_the_configuration_is_read() -> None:
    assert refusal(options={"job_namespace": None}) == {
        "code": CODE,
        "message": "a namespace is required: give --openlineage-job-namespace or set OPENLINEAGE_NAMESPACE",
        "location": "job_namespace",
    }


def test_a_job_namespace_comes_from_a_variable() -> None:
    assert inputs(options={"job_namespace": None}, variables={JOB: "jobs"}) == {"kafka://broker.example:9092"}


@pytest.mark.parametrize("value", ["", " ", "${TEAM}", "{{ team }}"])
def test_an_unusable_job_namespace_is_refused_although_a_variable_has_another(value: str) -> None:
    shown = refusal(options={"job_namespace": value}, variables={JOB: "jobs"})

    assert (shown["code"], shown["location"]) == (CODE, "job_namespace")


def test_an_option_beats_a_variable_and_both_beat_the_broker() -> None:
    variables = {KAFKA: "kafka://variable.example:1", GATEWAY: "kafka://gateway.example:1"}

    assert inputs(options={"kafka_namespace": "kafka://option.example:1"}, variables=variables) == {
        "kafka://option.example:1"
    }
    assert inputs(variables=variables) == {"kafka://variable.example:1"}
    assert inputs() == {"kafka://broker.example:9092"}


def test_topics_of_a_gateway_are_read_from_kafka() -> None:
    endpoints = {BROKER: "broker.example:9092", PROXY: "proxy.example:6969"}

    assert inputs(options={"gateway_namespace": "kafka://g.example:1"}, endpoints=endpoints) == {
        "kafka://broker.example:9092"
    }


@pytest.mark.parametrize("option", ["kafka_namespace", "gateway_namespace"])
@pytest.mark.parametrize("command", ["test", "apply"])
def test_a_namespace_that_is_given_is_checked_although_nothing_needs_it(command: str, option: str) -> None:
    shown = refusal(command=command, topics=(), options={option: "broker.example:9092"})

    assert (shown["code"], shown["location"]) == (CODE, option)


@pytest.mark.parametrize(("variable", "option"), [(KAFKA, "kafka_namespace"), (GATEWAY, "gateway_namespace")])
def test_a_variable_is_checked_like_its_option(variable: str, option: str) -> None:
    assert refusal(topics=(), variables={variable: ""}) == {
        "code": CODE,
        "message": "the namespace is empty",
        "location": option,
    }


def test_several_brokers_give_no_namespace_and_the_message_names_the_options_of_the_command() -> None:
    shown = refusal(endpoints={BROKER: "a.example:9092,b.example:9092", PROXY: None})

    assert (shown["code"], shown["location"]) == (CODE, BROKER)
    assert "give --openlineage-kafka-namespace or set STREAMT_OPENLINEAGE_KAFKA_NAMESPACE" in shown["message"]


@pytest.mark.parametrize("says", [{"topics": ()}, {"command": "apply"}])
def test_several_brokers_are_fine_where_no_topic_is_an_input(says: dict[str, Any]) -> None:
    endpoints = {BROKER: "a.example:9092,b.example:9092", PROXY: "c.example:1,d.example:1"}

    assert inputs(endpoints=endpoints, **says) is None


@pytest.mark.parametrize("command", ["test", "apply"])
def test_a_command_without_inputs_needs_no_address(command: str) -> None:
    assert inputs(command=command, topics=(), endpoints={BROKER: None, PROXY: None}) is None


@pytest.mark.parametrize(
    ("says", "location"),
    [
        ({"project": " "}, "/project/name"),
        ({"project": "${NAME}"}, "/project/name"),
        ({"topics": ("a", "\t")}, "openlineage.events"),
        ({"topics": ("{{ topic }}",)}, "openlineage.events"),
    ],
)
def test_names_that_no_export_would_let_in_are_refused(says: dict[str, Any], location: str) -> None:
    shown = refusal(**says)

    assert (shown["code"], shown["location"]) == (CODE, location)


@pytest.mark.parametrize(
    "says",
    [
        {"run_id": "0197c3a4-7a7e-7bbb-8d4c-0a51c1f3b1aa"},
        {"run_id": RUN_ID.upper()},
        {"started_at": "2026-01-02T03:04:05Z"},
        {"topics": ("no text: \ud800",)},
    ],
)
def test_events_that_are_not_valid_are_refused_with_a_fixed_text(says: dict[str, Any]) -> None:
    assert refusal(**says) == {
        "code": CODE,
        "message": "the run events of this command cannot be made valid",
        "location": "openlineage.events",
    }


def edited(folder: Path, file: str, change: Callable[[str], str]) -> RuleSet:
    """Return the rules with one file changed."""
    path = copytree(rules_folder(), folder / "rules") / file
    text = path.read_text("utf-8")
    assert change(text) != text
    path.write_text(change(text), "utf-8")
    return load_rules(path.parent)


def test_an_end_that_rows_make_invalid_is_refused_before_any_work(tmp_path: Path) -> None:
    rules = edited(
        tmp_path,
        "run-facets.yml",
        lambda text: text.replace("{message: streamt test", "{stackTrace: '', message: streamt test"),
    )

    assert refusal(rules)["location"] == "openlineage.events"


def test_a_start_that_rows_make_invalid_is_refused_before_any_work(tmp_path: Path) -> None:
    rules = edited(
        tmp_path,
        "run-facets.yml",
        lambda text: text.replace(
            "{entity: run, command: test, event: FAIL}", "{entity: run, command: test, event: START}"
        ).replace("{message: streamt test", "{stackTrace: '', message: streamt test"),
    )

    assert refusal(rules)["location"] == "openlineage.events"


def test_a_facet_of_no_pinned_schema_is_refused(tmp_path: Path) -> None:
    rules = edited(
        tmp_path, "run-facets.yml", lambda text: text.replace("facet: errorMessage", "facet: nominalTime", 1)
    )

    with pytest.raises(UnpinnedFacetError, match="the pinned facets of a run are errorMessage") as refused:
        require_pinned_facets(rules, SCHEMAS)

    assert refused.value.place is not None
    assert refused.value.place.file.endswith("run-facets.yml")


def test_another_message_and_type_of_job_need_rows_alone(tmp_path: Path) -> None:
    rules = edited(
        tmp_path,
        "run-facets.yml",
        lambda text: text.replace("streamt test command did not complete successfully", "no luck").replace(
            "jobType: TEST", "jobType: QUALITY"
        ),
    )
    memory = Memory()
    with prepare_run(request(), rules, SCHEMAS, lambda _variables, _rules: memory) as run:
        run.start()

    assert memory.events[0]["job"]["facets"]["jobType"]["jobType"] == "QUALITY"
    assert memory.events[1]["run"]["facets"]["errorMessage"]["message"] == "no luck"


def test_the_configuration_is_read_after_the_time_of_start_was_taken() -> None:
    looks: list[str] = []

    def clock() -> Any:
        looks.append("clock")
        return request().clock()

    def connect(_variables: Any, _rules: Any) -> Memory:
        looks.append("configuration")
        return Memory()

    prepare_run(request(clock=clock), RULES, SCHEMAS, connect).close()

    assert looks == ["clock", "configuration"]


def failing(error: Exception) -> Callable[[Any, Any], Memory]:
    def connect(_variables: Any, _rules: Any) -> Memory:
        raise error

    return connect


def test_a_refused_configuration_is_told_redacted_shortened_and_without_what_lies_behind() -> None:
    error = TransportConfigError(" password=hunter2 " + "x" * 2000, location="openlineage.transport.url")
    error.__cause__ = error.__context__ = ValueError("hunter2")

    with pytest.raises(TransportConfigError) as refused:
        prepare_run(request(), RULES, SCHEMAS, failing(error))

    assert refused.value.location == "openlineage.transport.url"
    assert len(refused.value.message) == 1024
    assert "hunter2" not in f"{refused.value.message} {refused.value}"
    assert (refused.value.__cause__, refused.value.__context__) == (None, None)


def test_a_message_that_says_nothing_gets_one() -> None:
    error = TransportConfigError("  ", location="openlineage.transport")

    with pytest.raises(TransportConfigError, match="run events cannot be sent"):
        prepare_run(request(), RULES, SCHEMAS, failing(error))


def test_what_the_system_refuses_while_a_transport_is_made_is_told_with_a_fixed_text() -> None:
    with pytest.raises(StreamtError) as refused:
        prepare_run(request(), RULES, SCHEMAS, failing(OSError("hunter2")))

    assert refused.value.diagnostic().as_dict() == {
        "code": CODE,
        "message": "the transport of run events cannot be set up",
        "location": "openlineage",
    }
    assert (refused.value.__cause__, refused.value.__context__) == (None, None)


def test_a_bug_while_a_run_is_prepared_stays_a_bug() -> None:
    bug = TypeError("a bug")

    with pytest.raises(TypeError) as raised:
        prepare_run(request(), RULES, SCHEMAS, failing(bug))

    assert raised.value is bug


def test_a_request_shows_no_variables() -> None:
    shown = repr(request(variables={"OPENLINEAGE__TRANSPORT__AUTH__APIKEY": "hunter2"}))

    assert "hunter2" not in shown
    assert "RunRequest(command='test'" in shown
