"""What the state calls a service: the same for every spelling of its address, another for every other place."""

from __future__ import annotations

import hashlib

import pytest

from streamt_ol.deploy.planning.bindings import backend_of, endpoint_hash
from streamt_ol.deploy.planning.errors import ServiceNotConfiguredError
from streamt_ol.deploy.providers.gateway.resources import virtual_cluster


def sha256(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def gateway(**settings: object) -> dict[str, object]:
    return {"conduktor": {"gateway": {"admin_url": "https://gateway.example:8888", **settings}}}


@pytest.mark.parametrize(
    "url",
    [
        "https://gateway.example/admin",
        "https://gateway.example/admin/",
        "https://gateway.example/admin///",
        "HTTPS://Gateway.Example/admin",
        "https://gateway.example:443/admin",
        "https://user:hunter2@gateway.example/admin",
        "https://gateway.example/admin?token=hunter2#part",
    ],
)
def test_one_address_has_one_hash_however_it_is_spelt(url: str) -> None:
    assert endpoint_hash(url) == sha256("https://gateway.example/admin")


def test_the_usual_port_is_that_of_the_scheme() -> None:
    assert endpoint_hash("http://gateway.example:80") == sha256("http://gateway.example")
    assert endpoint_hash("http://gateway.example:443") == sha256("http://gateway.example:443")


def test_a_name_in_unicode_is_its_punycode() -> None:
    assert endpoint_hash("http://Bücher.example") == endpoint_hash("http://xn--bcher-kva.example")
    assert endpoint_hash("http://straße.example") != endpoint_hash("http://strasse.example")


def test_an_ipv6_address_is_shortened() -> None:
    assert endpoint_hash("http://[0:0::1]:8083") == sha256("http://[::1]:8083")


@pytest.mark.parametrize(
    "other",
    ["http://gateway.example/admin", "https://gateway.example/Admin", "https://gateway.example:8443/admin"],
)
def test_another_place_has_another_hash(other: str) -> None:
    assert endpoint_hash(other) != endpoint_hash("https://gateway.example/admin")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "gateway.example",
        "ftp://gateway.example",
        "http://",
        "http://a:99999",
        "http://[::1",
        "http://\u2028.a",
    ],
)
def test_what_is_no_address_has_no_hash(url: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - what it says is not shown
        endpoint_hash(url)


def test_a_service_that_a_runtime_has_once_is_its_own_name() -> None:
    assert backend_of("direct-kafka", None, {}) == "direct-kafka"
    assert backend_of("schema-registry", None, {}) == "schema-registry"


def test_a_flink_cluster_is_told_by_its_alias() -> None:
    assert backend_of("flink", "main", {}) == "flink:v1:main"


def test_a_connect_cluster_is_told_by_alias_and_address() -> None:
    runtime = {"connect": {"clusters": {"edge": {"rest_url": "http://connect:8083/"}}}}

    assert (
        backend_of("kafka-connect", "edge", runtime)
        == f"kafka-connect:v1:edge:{sha256('http://connect:8083')}"
    )


def test_a_gateway_is_told_by_virtual_cluster_and_address() -> None:
    digest = sha256("https://gateway.example:8888")

    assert backend_of("conduktor-gateway", None, gateway()) == f"conduktor-gateway:v1:p:{digest}"
    assert (
        backend_of("conduktor-gateway", None, gateway(virtual_cluster="passthrough"))
        == f"conduktor-gateway:v1:p:{digest}"
    )
    assert (
        backend_of("conduktor-gateway", None, gateway(virtual_cluster="teamä>?"))
        == f"conduktor-gateway:v1:v-dGVhbcOkPj8:{digest}"
    )


def test_no_name_of_a_virtual_cluster_looks_like_the_usual_one() -> None:
    assert backend_of("conduktor-gateway", None, gateway(virtual_cluster="p")).split(":")[2] == "v-cA"
    assert virtual_cluster(gateway(virtual_cluster="p")) == "p"
    assert virtual_cluster({}) == "passthrough"


@pytest.mark.parametrize(
    ("kind", "cluster", "runtime", "location"),
    [
        ("flink", None, {}, "/runtime/flink"),
        ("kafka-connect", None, {}, "/runtime/connect"),
        ("kafka-connect", "edge", {}, "/runtime/connect/clusters/edge/rest_url"),
        ("conduktor-gateway", None, {}, "/runtime/conduktor/gateway/admin_url"),
        ("conduktor-gateway", None, gateway(admin_url=None), "/runtime/conduktor/gateway/admin_url"),
        (
            "conduktor-gateway",
            None,
            gateway(admin_url="x://u:hunter2@h"),
            "/runtime/conduktor/gateway/admin_url",
        ),
    ],
)
def test_a_runtime_without_an_address_is_refused_with_its_place(
    kind: str, cluster: str | None, runtime: dict[str, object], location: str
) -> None:
    with pytest.raises(ServiceNotConfiguredError) as failed:
        backend_of(kind, cluster, runtime)

    assert (failed.value.code, failed.value.location) == ("E208_MISSING_CONFIG", location)
    assert "hunter2" not in str(failed.value)
    assert failed.value.__cause__ is None
    assert failed.value.__context__ is None
