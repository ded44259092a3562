"""Variables around a transport: which count, which are refused, and in which order (behaviours 49 to 55)."""

from __future__ import annotations

from pathlib import Path

import pytest
from transport_configs import (
    FILE,
    HTTP,
    config_file,
    environment,
    http_environment,
    packaged_rules,
    read,
    refused,
)

from streamt_ol.runs.configuration import read_configuration
from streamt_ol.runs.settings import FileSettings, HttpSettings

TRANSPORT = "openlineage.transport"


def test_without_any_configuration_there_is_no_transport() -> None:
    error = refused({})

    assert (error.location, error.message, error.suggestion) == (
        TRANSPORT,
        "no transport is configured, and there is no default",
        "name a file with OPENLINEAGE_CONFIG, or set OPENLINEAGE__TRANSPORT__TYPE and what the type needs",
    )


@pytest.mark.parametrize("word", ["", "True", "TRUE", " true", "true ", "1", "0", "yes", "no", "False"])
def test_disabled_takes_two_words_and_no_other(word: str) -> None:
    error = refused({"OPENLINEAGE_DISABLED": word, **http_environment()})

    assert (error.location, error.message) == (
        "openlineage.disabled",
        "OPENLINEAGE_DISABLED is neither true nor false",
    )


def test_disabled_contradicts_the_wish_for_events() -> None:
    error = refused({"OPENLINEAGE_DISABLED": "true", **http_environment()})

    assert (error.location, error.message) == (
        "openlineage.disabled",
        "OPENLINEAGE_DISABLED is true, and events are asked for",
    )


def test_not_disabled_contradicts_nothing() -> None:
    assert isinstance(read({"OPENLINEAGE_DISABLED": "false", **http_environment()}), HttpSettings)


@pytest.mark.parametrize("value", ["", "https://s3cr3t.example"])
@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("OPENLINEAGE_URL", "OPENLINEAGE__TRANSPORT__URL"),
        (
            "OPENLINEAGE_API_KEY",
            "OPENLINEAGE__TRANSPORT__AUTH__TYPE=api_key and OPENLINEAGE__TRANSPORT__AUTH__APIKEY",
        ),
    ],
)
def test_variables_of_old_are_refused_even_empty(name: str, instead: str, value: str) -> None:
    error = refused({name: value, **http_environment()})

    assert (error.location, error.message, error.suggestion) == (
        "openlineage.environment",
        f"{name} is set, and this variable is not supported",
        f"unset it, and use {instead}",
    )


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("OPENLINEAGE__TRANSPORT__AUTH__API_KEY", "OPENLINEAGE__TRANSPORT__AUTH__APIKEY"),
        ("OPENLINEAGE__TRANSPORT__AUTH__apiKey", "OPENLINEAGE__TRANSPORT__AUTH__APIKEY"),
        ("OPENLINEAGE__TRANSPORT__AUTH_APIKEY", "OPENLINEAGE__TRANSPORT__AUTH__APIKEY"),
        ("OPENLINEAGE__TRANSPORT__TIME_OUT", "OPENLINEAGE__TRANSPORT__TIMEOUT"),
        ("OPENLINEAGE__TRANSPORT__TIMEOUTS", "OPENLINEAGE__TRANSPORT__TIMEOUT"),
        ("OPENLINEAGE__TRANSPORT__ENDPOINTS", "OPENLINEAGE__TRANSPORT__ENDPOINT"),
        ("OPENLINEAGE__TRANSPRT__TYPE", "OPENLINEAGE__TRANSPORT__TYPE"),
        ("OPENLINEAGE__TRANSPORT_TYPE", "OPENLINEAGE__TRANSPORT__TYPE"),
        ("OPENLINEAGE_TRANSPORT__TYPE", "OPENLINEAGE__TRANSPORT__TYPE"),
        ("OPENLINEAGE_TRANSPORT_URL", "OPENLINEAGE__TRANSPORT__URL"),
        ("openlineage__transport__type", "OPENLINEAGE__TRANSPORT__TYPE"),
        ("OPENLINEAGE__CONFIG", "OPENLINEAGE_CONFIG"),
        ("openlineage_config", "OPENLINEAGE_CONFIG"),
        ("OPENLINEAGE__DISABLED", "OPENLINEAGE_DISABLED"),
    ],
)
def test_a_name_that_nearly_is_right_is_answered_with_the_right_one(name: str, meant: str) -> None:
    error = refused({name: "s3cr3t", **http_environment()})

    assert (error.location, error.message, error.suggestion) == (
        "openlineage.environment",
        f"{name} is set, and no variable has this name",
        f"did you mean {meant}?",
    )


@pytest.mark.parametrize("value", ["", "s3cr3t"])
@pytest.mark.parametrize(
    "name",
    [
        "OPENLINEAGE__TRANSPORT",
        "OPENLINEAGE__TRANSPORT__HEADERS__X",
        "OPENLINEAGE__TRANSPORT__COMPRESSION",
        "OPENLINEAGE__FACETS__ENVIRONMENT_VARIABLES",
        "OPENLINEAGE__TAGS__JOB__TEAM",
        "OPENLINEAGE__FILTERS",
        "OPENLINEAGE__",
        "openlineage__facets",
    ],
)
def test_an_unknown_name_is_answered_with_the_names_there_are(name: str, value: str) -> None:
    error = refused({name: value, **http_environment()})

    assert (error.location, error.message) == (
        "openlineage.environment",
        f"{name} is set, and no variable has this name",
    )
    assert error.suggestion is not None
    assert error.suggestion.startswith("unset it; the variables are OPENLINEAGE__TRANSPORT__TYPE, ")


@pytest.mark.parametrize("name", ["OPENLINEAGE_NAMESPACE", "OPENLINEAGE_PARENT_ID", "TRANSPORT__TYPE", "URL"])
def test_variables_of_others_are_left_alone(name: str) -> None:
    assert isinstance(read({name: "s3cr3t", **http_environment()}), HttpSettings)


def test_variables_alone_can_describe_a_transport() -> None:
    settings = read(
        http_environment(
            TIMEOUT="0.25", VERIFY="true", RETRY__TOTAL="1", AUTH__TYPE="api_key", AUTH__APIKEY="k3y"
        )
    )

    assert isinstance(settings, HttpSettings)
    assert (settings.url, settings.endpoint, settings.timeout, settings.retries) == (
        "https://lineage.example",
        "api/v1/lineage",
        0.25,
        1,
    )
    assert settings.api_key is not None
    assert settings.api_key.reveal() == "k3y"


def test_a_variable_beats_the_file_key_by_key(tmp_path: Path) -> None:
    file = config_file(tmp_path, {"transport": {**HTTP, "timeout": 2, "retry": {"total": 0}}})

    settings = read({**file, **environment(URL="http://localhost:5000", RETRY__TOTAL="1")})

    assert settings == HttpSettings("http://localhost:5000", "api/v1/lineage", timeout=2.0, retries=1)


def test_each_setting_knows_where_it_comes_from(tmp_path: Path) -> None:
    file = config_file(tmp_path, {"transport": {**HTTP, "retry": {"total": 0}}})

    configuration = read_configuration({**file, **environment(URL="http://localhost:5000")}, packaged_rules())

    assert configuration.origins == {
        "type": "line 5, column 3 of the configuration file",
        "url": "OPENLINEAGE__TRANSPORT__URL",
        "endpoint": "line 2, column 3 of the configuration file",
        "retry.total": "line 4, column 5 of the configuration file",
    }


def test_an_empty_variable_beats_the_file_and_is_refused(tmp_path: Path) -> None:
    error = refused({**config_file(tmp_path, {"transport": HTTP}), **environment(URL="")})

    assert (error.location, error.message) == (
        "openlineage.transport.url",
        "url is empty: OPENLINEAGE__TRANSPORT__URL",
    )


def test_a_variable_inside_a_null_makes_the_mapping(tmp_path: Path) -> None:
    file = config_file(tmp_path, {"transport": {**HTTP, "retry": None}})

    settings = read({**file, **environment(RETRY__TOTAL="1")})

    assert isinstance(settings, HttpSettings)
    assert settings.retries == 1


def test_a_variable_inside_something_else_is_refused_at_what_stands_there(tmp_path: Path) -> None:
    file = config_file(tmp_path, {"transport": {**HTTP, "retry": "s3cr3t"}})

    error = refused({**file, **environment(RETRY__TOTAL="1")})

    assert (error.location, error.message) == (
        "openlineage.transport.retry",
        "retry is no mapping with the key total alone: line 3, column 3 of the configuration file",
    )


@pytest.mark.parametrize(
    ("name", "value", "location"),
    [
        ("TIMEOUT", "five", "timeout"),
        ("TIMEOUT", "", "timeout"),
        ("TIMEOUT", " 1", "timeout"),
        ("TIMEOUT", "1_0", "timeout"),
        ("TIMEOUT", "inf", "timeout"),
        ("TIMEOUT", "nan", "timeout"),
        ("TIMEOUT", "1e999", "timeout"),
        ("TIMEOUT", "5.01", "timeout"),
        ("TIMEOUT", "-1", "timeout"),
        ("TIMEOUT", "0" * 10_000, "timeout"),
        ("VERIFY", "1", "verify"),
        ("VERIFY", "True", "verify"),
        ("VERIFY", "false", "verify"),
        ("VERIFY", "", "verify"),
        ("RETRY__TOTAL", "1.0", "retry.total"),
        ("RETRY__TOTAL", "+1", "retry.total"),
        ("RETRY__TOTAL", " 1", "retry.total"),
        ("RETRY__TOTAL", "١", "retry.total"),
        ("RETRY__TOTAL", "true", "retry.total"),
        ("RETRY__TOTAL", "-1", "retry.total"),
        ("RETRY__TOTAL", "2", "retry.total"),
        ("RETRY__TOTAL", "9" * 10_000, "retry.total"),
        ("AUTH__TYPE", "bearer", "auth"),
        ("AUTH__APIKEY", "k3y", "auth"),
        ("TYPE", "console", "type"),
        ("URL", "http://lineage.example", "url"),
        ("ENDPOINT", "/api", "endpoint"),
        ("CA_FILE", "nowhere.pem", "ca_file"),
    ],
)
def test_a_variable_of_the_wrong_form_is_refused_at_its_key(name: str, value: str, location: str) -> None:
    error = refused(http_environment(**{name: value}))

    assert error.location == f"{TRANSPORT}.{location}"
    assert len(error.message) < 300


@pytest.mark.parametrize(
    ("text", "seconds"), [("5", 5.0), ("0.5", 0.5), (".5", 0.5), ("5.", 5.0), ("1e-1", 0.1)]
)
def test_a_timeout_in_a_variable_is_a_decimal_number(text: str, seconds: float) -> None:
    settings = read(http_environment(TIMEOUT=text))

    assert isinstance(settings, HttpSettings)
    assert settings.timeout == seconds


def test_a_key_of_the_other_type_is_refused_by_the_variable_that_set_it() -> None:
    error = refused(http_environment(LOG_FILE_PATH="s3cr3t"))

    assert (error.location, error.message) == (
        TRANSPORT,
        "this is no key of a transport of type http: OPENLINEAGE__TRANSPORT__LOG_FILE_PATH",
    )


# The order of the checks


def test_the_first_fault_in_the_published_order_is_told(tmp_path: Path) -> None:
    broken = {"OPENLINEAGE_CONFIG": str(tmp_path / "nowhere.yml")}
    foreign = config_file(tmp_path, {"facets": {}, "transport": [1]})
    disabled = {"OPENLINEAGE_DISABLED": "true"}
    legacy = {"OPENLINEAGE_URL": "x"}
    unknown = {"OPENLINEAGE__FACETS": "x"}
    coerced = environment(TIMEOUT="five")
    everything = {**disabled, **legacy, **unknown, **coerced}
    listed = tmp_path / "listed.yml"
    listed.write_text("transport: [1]\n")

    assert refused({**everything, **broken}).location == "openlineage.config"
    assert refused({**everything, **foreign}).location == "openlineage.disabled"
    assert refused({**legacy, **unknown, **coerced, **foreign}).message.startswith("OPENLINEAGE_URL")
    assert refused({**unknown, **coerced, **foreign}).message.startswith("OPENLINEAGE__FACETS")
    assert refused({**coerced, **foreign}).location == "openlineage.config"
    assert refused({**coerced, "OPENLINEAGE_CONFIG": str(listed)}).message.startswith(
        "`transport` is no mapping"
    )
    assert refused({**coerced, **environment(TYPE="console")}).location == "openlineage.transport.timeout"
    assert refused(environment(TYPE="console", URL="")).location == "openlineage.transport.type"


def test_a_file_transport_by_variables() -> None:
    assert read(environment(TYPE="file", LOG_FILE_PATH=str(FILE["log_file_path"]))) == FileSettings(
        "events.jsonl"
    )
