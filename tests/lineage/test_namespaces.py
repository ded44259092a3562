"""Namespace selection: option over variable over derivation, and never a fall-through."""

from __future__ import annotations

import pytest

from streamt_ol.engine.ruleset import load_rules
from streamt_ol.ground.resources import rules_folder
from streamt_ol.lineage.errors import EndpointAmbiguousError, NamespaceInvalidError, NamespaceMissingError
from streamt_ol.lineage.namespaces import Candidates, complete, select_given

RULES = load_rules(rules_folder())
JOB, KAFKA, GATEWAY = (
    "OPENLINEAGE_NAMESPACE",
    "STREAMT_OPENLINEAGE_KAFKA_NAMESPACE",
    "STREAMT_OPENLINEAGE_GATEWAY_NAMESPACE",
)
BROKER, PROXY = "runtime.kafka.bootstrap_servers", "runtime.conduktor.gateway.proxy_bootstrap"


def given(options: dict | None = None, variables: dict | None = None) -> dict:
    return dict(
        select_given(Candidates({"job_namespace": "jobs", **(options or {})}, variables or {}), RULES)
    )


def completed(needed: set, endpoints: dict, options: dict | None = None) -> dict:
    candidates = Candidates({"job_namespace": "jobs", **(options or {})}, {})
    selected = select_given(candidates, RULES)
    return dict(complete(selected, frozenset(needed), endpoints, candidates, RULES))


def test_an_option_beats_a_variable() -> None:
    assert given(
        {"job_namespace": "a", "kafka_namespace": "kafka://o:1"}, {JOB: "b", KAFKA: "kafka://v:1"}
    ) == {
        "job": "a",
        "kafka": "kafka://o:1",
    }


def test_a_variable_is_taken_where_there_is_no_option() -> None:
    assert given({"job_namespace": None}, {JOB: "b", GATEWAY: "kafka://g:1"}) == {
        "job": "b",
        "gateway": "kafka://g:1",
    }


@pytest.mark.parametrize(
    ("options", "variables"), [({"kafka_namespace": ""}, {KAFKA: "kafka://v:1"}), ({}, {KAFKA: ""})]
)
def test_an_empty_value_is_selected_and_refused(options: dict, variables: dict) -> None:
    with pytest.raises(NamespaceInvalidError) as caught:
        given(options, variables)

    assert (caught.value.message, caught.value.location) == ("the namespace is empty", "kafka_namespace")


def test_the_job_namespace_is_required() -> None:
    with pytest.raises(NamespaceMissingError) as caught:
        given({"job_namespace": None})

    assert caught.value.location == "job_namespace"
    assert (
        caught.value.message == "a namespace is required: give --job-namespace or set OPENLINEAGE_NAMESPACE"
    )


@pytest.mark.parametrize("text", ["\u00a0", " \t", "\u2003"])
def test_a_job_namespace_of_white_space_is_refused(text: str) -> None:
    with pytest.raises(NamespaceInvalidError, match="the namespace is blank"):
        given({"job_namespace": text})


@pytest.mark.parametrize("text", [" padded ", "größe/模型", "a b", "kafka://b:1/x"])
def test_any_other_text_is_a_job_namespace_as_it_is(text: str) -> None:
    assert given({"job_namespace": text})["job"] == text


def test_bytes_that_are_utf8_are_read_as_such_whatever_the_locale_made_of_them() -> None:
    smuggled = "größe".encode().decode("ascii", "surrogateescape")

    assert given({"job_namespace": smuggled})["job"] == "größe"
    with pytest.raises(NamespaceInvalidError, match="not valid UTF-8"):
        given({"job_namespace": "\udcff"})


@pytest.mark.parametrize("text", ["${NS}", "{{ ns }}"])
def test_an_unrendered_namespace_is_refused(text: str) -> None:
    with pytest.raises(NamespaceInvalidError, match="still holds a variable or template"):
        given({"job_namespace": text})


def test_a_given_dataset_namespace_is_checked_even_if_nothing_needs_it() -> None:
    with pytest.raises(NamespaceInvalidError) as caught:
        given({"gateway_namespace": "broker:9092"})

    assert caught.value.location == "gateway_namespace"
    assert caught.value.message == (
        "the namespace is not kafka://host:port: its scheme is missing: write kafka://broker:9092"
    )


def test_a_needed_namespace_is_derived_from_its_one_address() -> None:
    assert completed({"kafka", "gateway"}, {BROKER: " b:9092 ", PROXY: "g:6969"}) == {
        "job": "jobs",
        "kafka": "kafka://b:9092",
        "gateway": "kafka://g:6969",
    }


def test_what_is_not_needed_is_neither_derived_nor_required() -> None:
    assert completed(set(), {BROKER: "a:1,b:1", PROXY: None}) == {"job": "jobs"}


def test_a_given_namespace_is_not_derived_again() -> None:
    assert (
        completed({"kafka"}, {BROKER: "a:1,b:1"}, {"kafka_namespace": "kafka://c:1"})["kafka"]
        == "kafka://c:1"
    )


def test_a_list_of_brokers_is_refused_at_its_address() -> None:
    with pytest.raises(EndpointAmbiguousError) as caught:
        completed({"kafka"}, {BROKER: "b2:9092,b1:9092"})

    assert caught.value.location == BROKER
    assert "give --kafka-namespace or set STREAMT_OPENLINEAGE_KAFKA_NAMESPACE" in caught.value.message
    assert "kafka://b2:9092 (the first broker, as written)" in caught.value.message


def test_a_missing_address_is_refused_where_it_would_stand() -> None:
    with pytest.raises(NamespaceMissingError) as caught:
        completed({"gateway"}, {BROKER: "b:1", PROXY: None})

    assert caught.value.location == PROXY


def test_user_information_is_never_shown() -> None:
    with pytest.raises(EndpointAmbiguousError) as caught:
        completed({"kafka"}, {BROKER: "user:hunter2@b:9092,c:1"})

    assert "hunter2" not in caught.value.message
