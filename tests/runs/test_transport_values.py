"""What the keys of a transport may be, and where a value that may not be is told (behaviours 35 to 47)."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import trustme
from transport_configs import API_KEY, FILE, HTTP, packaged_rules, read_section, refused_section

from streamt_ol.runs.config_errors import TransportConfigError
from streamt_ol.runs.configuration import require_sound
from streamt_ol.runs.settings import FileSettings, HttpSettings, Secret

NAN, INFINITY = float("nan"), float("inf")


def test_a_file_transport_is_frozen_and_hides_its_path(tmp_path: Path) -> None:
    settings = read_section(tmp_path, FILE)

    assert settings == FileSettings("events.jsonl")
    assert repr(settings) == "FileSettings()"
    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.path = "other"  # type: ignore[union-attr,misc]


@pytest.mark.parametrize(
    "path",
    [
        "",
        " ",
        " events.jsonl",
        "events.jsonl ",
        "file:events.jsonl",
        "file:///tmp/events.jsonl",
        "FILE:/tmp/events.jsonl",
        "s3://bucket/events.jsonl",
        "//host/events.jsonl",
        "\\\\host\\events.jsonl",
        "a\0b",
        "a\nb",
        "a\x7fb",
        "a\x9fb",
        "~/events.jsonl",
        "$HOME/events.jsonl",
        "logs/${NAME}.jsonl",
        "logs/",
        "logs/..",
        ".",
        17,
        True,
        None,
        ["events.jsonl"],
    ],
    ids=repr,
)
def test_what_is_no_path_of_a_local_file_is_refused_at_log_file_path(tmp_path: Path, path: object) -> None:
    error = refused_section(tmp_path, {**FILE, "log_file_path": path})

    assert error.location == "openlineage.transport.log_file_path"
    assert "events" not in error.message


@pytest.mark.parametrize("path", ["events.jsonl", "/var/log/ü b.jsonl", "../a:b", "C:\\x", "a$", "a~"])
def test_a_path_of_a_local_file_is_kept_as_it_is_written(tmp_path: Path, path: str) -> None:
    assert read_section(tmp_path, {**FILE, "log_file_path": path}) == FileSettings(path)


@pytest.mark.parametrize(
    ("section", "suggestion"),
    [
        ({"type": "file"}, "name a file in a folder that exists"),
        ({**FILE, "append": True}, "remove it; the keys are type, log_file_path"),
        ({**FILE, "url": HTTP["url"]}, "remove it; the keys are type, log_file_path"),
        ({"type": "file", "logFilePath": "x"}, "did you mean log_file_path?"),
    ],
    ids=["none", "append", "url", "misspelled"],
)
def test_a_file_transport_has_exactly_its_two_keys(tmp_path: Path, section: object, suggestion: str) -> None:
    error = refused_section(tmp_path, section)

    assert (error.location, error.suggestion) == ("openlineage.transport", suggestion)


def test_an_http_transport_has_defaults_and_hides_its_addresses(tmp_path: Path) -> None:
    settings = read_section(tmp_path, HTTP)

    assert settings == HttpSettings("https://lineage.example", "api/v1/lineage", timeout=5.0, retries=0)
    assert repr(settings) == "HttpSettings(timeout=5.0, retries=0)"


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost",
        "http://LOCALHOST:5000",
        "http://127.0.0.2/base/",
        "http://127.0.0.1:5000",
        "http://[::1]:5000",
        "https://lineage.example",
        "HTTPS://lineage.example/",
        "https://lineage.example:65535/marquez//x",
        "https://lineage.example:/",
        "https://kafka_1",
        "https://[2001:db8::7]:8443",
        "https://192.0.2.7",
    ],
)
def test_a_base_address_is_kept_as_it_is_written(tmp_path: Path, url: str) -> None:
    settings = read_section(tmp_path, {**HTTP, "url": url})

    assert isinstance(settings, HttpSettings)
    assert settings.url == url


@pytest.mark.parametrize(
    "url",
    [
        "http://lineage.example",
        "http://127.1",
        "http://0.0.0.0",
        "http://localhost.",
        "http://128.0.0.1",
        "http://[::ffff:127.0.0.1]",
        "http://[::2]",
        "ftp://lineage.example",
        "lineage.example",
        "//lineage.example",
        "https:lineage.example",
        "https://user@lineage.example",
        "https://user:pass@lineage.example",
        "https://@lineage.example",
        "https://lineage.example?",
        "https://lineage.example/?q=1",
        "https://lineage.example/#",
        "https://",
        "https:///api",
        "https://:443",
        "https://[::1",
        "https://::1",
        "https://[::1]x",
        "https://[fe80::1%25eth0]",
        "https://[fe80::1%eth0]",
        "https://[1.2.3.4]",
        "https://256.0.0.1",
        "https://lineage.example:99999",
        "https://lineage.example:0",
        "https://lineage.example:+1",
        "https://lineage.example:١",
        "https://lineage.example:x",
        "https://line%61ge.example",
        "https://bröker.example",
        "https://a,b",
        "https://lineage.example\\x",
        "\\\\lineage.example",
        " https://lineage.example",
        "https://lineage.example ",
        "https://lineage.example/a b",
        "https://lineage.example/a\tb",
        "https://lineage.example/\x85x",
        "",
        None,
        17,
    ],
    ids=repr,
)
def test_what_is_no_base_address_is_refused_at_url(tmp_path: Path, url: object) -> None:
    error = refused_section(tmp_path, {**HTTP, "url": url})

    assert error.location == "openlineage.transport.url"
    assert "lineage.example" not in error.message


@pytest.mark.parametrize(
    "endpoint", ["api/v1/lineage", "lineage", "api//v1", "api/v1/", "a/b:c", "a%20b", "…"]
)
def test_a_relative_path_is_an_endpoint(tmp_path: Path, endpoint: str) -> None:
    settings = read_section(tmp_path, {**HTTP, "endpoint": endpoint})

    assert isinstance(settings, HttpSettings)
    assert settings.endpoint == endpoint


@pytest.mark.parametrize(
    "endpoint",
    [
        "",
        "/api",
        "//host/api",
        "https://lineage.example/api",
        "api:v1",
        "1:x",
        "..",
        "api/../x",
        "./api",
        "api/.",
        "%2e%2e/x",
        "%2E/x",
        "%252e%252e/x",
        "api%2fx",
        "api%2Fx",
        "api%5cx",
        "api%5Cx",
        "api%",
        "api%zz",
        "\\api",
        "api\\x",
        "api?x",
        "api#x",
        " api",
        "api ",
        "a b",
        "a\nb",
        None,
        17,
    ],
    ids=repr,
)
def test_what_is_no_relative_path_is_refused_at_endpoint(tmp_path: Path, endpoint: object) -> None:
    error = refused_section(tmp_path, {**HTTP, "endpoint": endpoint})

    assert error.location == "openlineage.transport.endpoint"


@pytest.mark.parametrize("key", ["url", "endpoint"])
def test_an_http_transport_needs_an_address_and_an_endpoint(tmp_path: Path, key: str) -> None:
    error = refused_section(tmp_path, {other: value for other, value in HTTP.items() if other != key})

    assert (error.location, error.message) == (
        f"openlineage.transport.{key}",
        f"a transport of type http needs {key}",
    )


@pytest.mark.parametrize(
    "timeout", [True, False, 0, -1, 5.01, INFINITY, -INFINITY, NAN, "5", None, [5], 10**400], ids=str
)
def test_a_timeout_out_of_bounds_is_refused(tmp_path: Path, timeout: object) -> None:
    assert refused_section(tmp_path, {**HTTP, "timeout": timeout}).location == "openlineage.transport.timeout"


@pytest.mark.parametrize("timeout", [0.001, 1, 5, 5.0])
def test_a_timeout_is_a_number_of_seconds_up_to_five(tmp_path: Path, timeout: float) -> None:
    settings = read_section(tmp_path, {**HTTP, "timeout": timeout})

    assert isinstance(settings, HttpSettings)
    assert (settings.timeout, type(settings.timeout)) == (timeout, float)


@pytest.mark.parametrize("verify", [False, 0, 1, "true", "false", None, {}], ids=repr)
def test_verification_cannot_be_turned_off(tmp_path: Path, verify: object) -> None:
    assert refused_section(tmp_path, {**HTTP, "verify": verify}).location == "openlineage.transport.verify"


def test_verification_may_be_asked_for(tmp_path: Path) -> None:
    assert read_section(tmp_path, {**HTTP, "verify": True}) == read_section(tmp_path, HTTP)


@pytest.mark.parametrize(("retry", "retries"), [({"total": 0}, 0), ({"total": 1}, 1), (None, 0)])
def test_one_retry_at_most_can_be_asked_for(tmp_path: Path, retry: object, retries: int) -> None:
    settings = read_section(tmp_path, {**HTTP, "retry": retry})

    assert isinstance(settings, HttpSettings)
    assert settings.retries == retries


@pytest.mark.parametrize("total", [2, -1, True, "1", 1.0, None], ids=repr)
def test_another_number_of_retries_is_refused(tmp_path: Path, total: object) -> None:
    error = refused_section(tmp_path, {**HTTP, "retry": {"total": total}})

    assert error.location == "openlineage.transport.retry.total"


@pytest.mark.parametrize("retry", [{}, {"total": 1, "backoff": 1}, 1, [1], "1"], ids=repr)
def test_a_retry_of_another_shape_is_refused(tmp_path: Path, retry: object) -> None:
    assert refused_section(tmp_path, {**HTTP, "retry": retry}).location == "openlineage.transport.retry"


def test_an_api_key_goes_with_https_and_hides_itself(tmp_path: Path) -> None:
    settings = read_section(tmp_path, {**HTTP, "auth": API_KEY})

    assert isinstance(settings, HttpSettings)
    assert settings.api_key is not None
    assert settings.api_key.reveal() == "k3y"
    assert "k3y" not in f"{settings!r} {settings} {settings.api_key!r} {settings.api_key}"


def test_an_api_key_needs_https_on_this_machine_too(tmp_path: Path) -> None:
    error = refused_section(tmp_path, {**HTTP, "url": "http://localhost:5000", "auth": API_KEY})

    assert error.location == "openlineage.transport.auth"
    assert "k3y" not in f"{error.message} {error.suggestion} {error!r}"


@pytest.mark.parametrize(
    "auth",
    [
        {"type": "bearer", "apiKey": "k3y"},
        {"type": "api_key"},
        {"apiKey": "k3y"},
        {"type": "api_key", "apikey": "k3y"},
        {"type": "api_key", "apiKey": "k3y", "header": "X-Key"},
        {},
        "k3y",
        ["k3y"],
        True,
    ],
    ids=repr,
)
def test_an_auth_of_another_shape_is_refused(tmp_path: Path, auth: object) -> None:
    error = refused_section(tmp_path, {**HTTP, "auth": auth})

    assert error.location == "openlineage.transport.auth"
    assert "k3y" not in error.message


@pytest.mark.parametrize(
    "key", ["", " k3y", "k3y ", "k 3y", "k3y\n", "k3\x7fy", "schlüssel", None, 17], ids=repr
)
def test_an_api_key_that_no_header_can_hold_is_refused(tmp_path: Path, key: object) -> None:
    error = refused_section(tmp_path, {**HTTP, "auth": {"type": "api_key", "apiKey": key}})

    assert error.location == "openlineage.transport.auth.apiKey"
    assert "3y" not in error.message


def test_no_auth_is_none(tmp_path: Path) -> None:
    assert read_section(tmp_path, {**HTTP, "auth": None}) == read_section(tmp_path, HTTP)


@pytest.mark.parametrize(
    ("key", "near"),
    [
        ("headers", None),
        ("compression", None),
        ("custom_headers", None),
        ("time_out", "timeout"),
        ("Verify", "verify"),
    ],
)
def test_an_unknown_key_of_an_http_transport_is_refused_with_its_line(
    tmp_path: Path, key: str, near: str | None
) -> None:
    error = refused_section(tmp_path, {**HTTP, key: "s3cr3t"})

    assert error.location == "openlineage.transport"
    assert "of the configuration file" in error.message
    assert key not in error.message
    keys = "remove it; the keys are type, url, endpoint, timeout, verify, ca_file, retry, auth"
    assert error.suggestion == (f"did you mean {near}?" if near else keys)


@pytest.mark.parametrize(
    "kind",
    [
        "console",
        "kafka",
        "composite",
        "async_http",
        "datazone",
        "FILE",
        "x.MyTransport",
        "",
        1,
        None,
        ["file"],
    ],
)
def test_another_type_of_transport_is_refused(tmp_path: Path, kind: object) -> None:
    assert refused_section(tmp_path, {**HTTP, "type": kind}).location == "openlineage.transport.type"


def test_a_transport_without_a_type_is_refused(tmp_path: Path) -> None:
    error = refused_section(tmp_path, {"log_file_path": "x"})

    assert (error.location, error.message) == ("openlineage.transport.type", "the transport has no type")


# A private certificate authority


@pytest.fixture(scope="module")
def authority() -> bytes:
    return trustme.CA().cert_pem.bytes()


def test_a_private_authority_is_named_by_its_file(tmp_path: Path, authority: bytes) -> None:
    path = tmp_path / "authority.pem"
    path.write_bytes(b"# our authority: \xc3\xbc\n" + authority)

    settings = read_section(tmp_path, {**HTTP, "ca_file": str(path)})

    assert isinstance(settings, HttpSettings)
    assert settings.ca_file == str(path)
    assert repr(settings) == "HttpSettings(timeout=5.0, retries=0)"


def test_a_file_of_authorities_is_for_https_alone(tmp_path: Path, authority: bytes) -> None:
    path = tmp_path / "authority.pem"
    path.write_bytes(authority)

    error = refused_section(tmp_path, {**HTTP, "url": "http://localhost", "ca_file": str(path)})

    assert (error.location, error.message) == (
        "openlineage.transport.ca_file",
        "ca_file needs an address that begins with https://: line 2, column 3 of the configuration file",
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "the file of ca_file does not exist"),
        (
            b"",
            "the file of ca_file holds no certificate in PEM form: line 2, column 3 of the configuration file",
        ),
        (
            b"s3cr3t",
            "the file of ca_file holds no certificate in PEM form: line 2, column 3 of the configuration file",
        ),
        (b"#" * 1_048_577, "the file of ca_file has more than 1048576 bytes"),
    ],
    ids=["missing", "empty", "other", "large"],
)
def test_a_file_without_authorities_is_refused_when_the_configuration_is_read(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    path = tmp_path / "authority.pem"
    if content is not None:
        path.write_bytes(content)

    error = refused_section(tmp_path, {"ca_file": str(path), **HTTP})

    assert (error.location, error.message) == ("openlineage.transport.ca_file", message)


@pytest.mark.parametrize("path", ["", " x", "https://x", "~/x", 17, None], ids=repr)
def test_a_file_of_authorities_has_a_local_path(tmp_path: Path, path: object) -> None:
    assert refused_section(tmp_path, {**HTTP, "ca_file": path}).location == "openlineage.transport.ca_file"


# Settings made by a program


@pytest.mark.parametrize(
    ("settings", "location"),
    [
        (FileSettings(" x"), "openlineage.transport.log_file_path"),
        (HttpSettings("http://lineage.example", "api", 5.0, 0), "openlineage.transport.url"),
        (HttpSettings("https://lineage.example", "/api", 5.0, 0), "openlineage.transport.endpoint"),
        (HttpSettings("https://lineage.example", "api", 6.0, 0), "openlineage.transport.timeout"),
        (HttpSettings("https://lineage.example", "api", 5.0, 2), "openlineage.transport.retry.total"),
        (HttpSettings("http://localhost", "api", 5.0, 0, Secret("k3y")), "openlineage.transport.auth"),
        (
            HttpSettings("https://l.example", "api", 5.0, 0, Secret("k 3y")),
            "openlineage.transport.auth.apiKey",
        ),
        (HttpSettings("https://l.example", "api", 5.0, 0, None, "/nowhere"), "openlineage.transport.ca_file"),
    ],
)
def test_settings_that_no_configuration_could_give_are_refused(settings: Any, location: str) -> None:
    with pytest.raises(TransportConfigError) as caught:
        require_sound(settings, packaged_rules())

    assert caught.value.location == location


@pytest.mark.parametrize(
    "settings",
    [FileSettings("x"), HttpSettings("https://l.example", "api", 0.5, 1, Secret("k3y"))],
    ids=["file", "http"],
)
def test_settings_that_a_configuration_could_give_are_sound(settings: Any) -> None:
    require_sound(settings, packaged_rules())
