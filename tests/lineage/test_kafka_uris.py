"""Dataset namespaces are exactly `kafka://host:port`, with one message per way to get it wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamt_ol.lineage.kafka_uris import agreement_hint, endpoint_problem, uri_problem

BLANK = "it holds a blank"
BRACKETED = "its bracketed host is not an IPv6 address without zone"
CHARACTER = "its host holds a character other than letters, digits, '.', '-', '_'"
NOT_ASCII = "it holds a character that is not printable ASCII"
PORT = "its port is not a number from 1 to 65535 without leading zeros"


@pytest.mark.parametrize(
    "uri",
    [
        "kafka://broker.example:9092",
        "kafka://Broker.Example:1",
        "kafka://my_broker-1:65535",
        "kafka://192.0.2.7:9092",
        "kafka://[::1]:9092",
        "kafka://[2001:db8::a]:9092",
    ],
)
def test_exactly_one_host_and_port_is_a_namespace(uri: str) -> None:
    assert uri_problem(uri) is None


@pytest.mark.parametrize(
    ("uri", "problem"),
    [
        ("broker:9092", "its scheme is missing: write kafka://broker:9092"),
        ("broker", "it does not start with kafka://"),
        ("KAFKA://b:9092", "its scheme is not kafka, in lower case"),
        ("SASL_SSL://b:9092", "its scheme is not kafka, in lower case"),
        ("http://b:9092", "its scheme is not kafka, in lower case"),
        ("kafka://u:p4ss@b:9092", "it holds user information: only kafka://host:port names one cluster"),
        ("kafka://b:9092/", "it holds a path: only kafka://host:port names one cluster"),
        ("kafka://b:9092?x=1", "it holds a query: only kafka://host:port names one cluster"),
        ("kafka://b:9092#f", "it holds a fragment: only kafka://host:port names one cluster"),
        ("kafka://a:1,b:2", "it holds a list of brokers: only kafka://host:port names one cluster"),
        ("kafka://b:9092 ", BLANK),
        (" kafka://b:9092", BLANK),
        ("kafka://b:9092\n", NOT_ASCII),
        ("kafka://b\tb:9092", NOT_ASCII),
        ("kafka://bröker:9092", NOT_ASCII),
        ("kafka://b:９０９２", NOT_ASCII),
        ("kafka://b", "its port is missing"),
        ("kafka://b:", PORT),
        ("kafka://b:0", PORT),
        ("kafka://b:65536", PORT),
        ("kafka://b:09092", PORT),
        ("kafka://b:+1", PORT),
        ("kafka://:9092", "its host is empty"),
        ("kafka://b%0A:9092", CHARACTER),
        ("kafka://b$:9092", CHARACTER),
        ("kafka://::1:9092", "it has several colons: an IPv6 address stands in brackets"),
        ("kafka://[::1]", "its port is missing"),
        ("kafka://[::1%25eth0]:9092", BRACKETED),
        ("kafka://[fe80::1%eth0]:9092", BRACKETED),
        ("kafka://[::1:9092", BRACKETED),
        ("kafka://[b]:9092", BRACKETED),
    ],
)
def test_anything_else_is_refused_with_its_own_message(uri: str, problem: str) -> None:
    assert uri_problem(uri) == problem
    assert "p4ss" not in problem


@given(st.text(max_size=40))
def test_what_is_accepted_has_one_host_and_one_port(rest: str) -> None:
    if uri_problem(f"kafka://{rest}") is None:
        host, _colon, port = rest.rpartition(":")

        assert host
        assert 1 <= int(port) <= 65535
        assert str(int(port)) == port
        assert rest.isascii()
        assert not set("@/?#, ") & set(rest)


@pytest.mark.parametrize(
    ("endpoint", "problem"),
    [
        ("  broker.example:9092 ", None),
        ("[::1]:9092", None),
        ("b2:9092,b1:9092", "it lists several brokers, and none of them names the cluster"),
        ("b1:9092,", "it lists several brokers, and none of them names the cluster"),
        ("SASL_SSL://host:9093", "it has a scheme: a bootstrap address is host:port"),
        ("//host:9093", CHARACTER),
        ("u:secret@b:9092", "it holds user information"),
        ("b :9092", "it holds a blank or a character that is not printable ASCII"),
        ("broker", "its port is missing"),
        ("b:0", PORT),
    ],
)
def test_a_namespace_follows_only_from_one_address(endpoint: str, problem: str | None) -> None:
    assert endpoint_problem(endpoint) == problem


def test_the_hint_names_what_the_listener_would_use_and_how_both_agree() -> None:
    hint = agreement_hint("b2:9092,b1:9093")

    assert hint == (
        "the Flink 2 OpenLineage listener would say kafka://b2:9092 (the first broker, as written); "
        "choose one identity, give it here, and give the listener the same one in its configuration: "
        "dataset.namespaceResolvers.IDENTITY = {type: hostList, schema: kafka, hosts: [b2, b1]}"
    )


def test_the_hint_shows_nothing_of_a_list_that_could_hold_a_secret() -> None:
    assert agreement_hint("user:secret@b1:9092,b2:9092") is None
