"""The file that OPENLINEAGE_CONFIG names: its bounds, and what may stand in it (behaviours 48, 49 and 55 to 59)."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

import pytest
import yaml
from transport_configs import FILE, HTTP, config_file, environment, read, refused

from streamt_ol.runs.settings import FileSettings

SOUND = "transport: {type: file, log_file_path: events.jsonl}\n"
CONFIG = "openlineage.config"


def nested(depth: int) -> str:
    """Return a sound file with so many collections inside each other."""
    return SOUND.replace("file,", f"file, deep: {'[' * (depth - 2)}{']' * (depth - 2)},")


def with_tokens(count: int) -> str:
    """Return a file of so many tokens: nine around the list, two for each item with its comma."""
    text = f"transport: [{'1,' * ((count - 9) // 2)}{'1' * ((count - 9) % 2)}]"
    assert sum(1 for _token in yaml.scan(text)) == count
    return text


def test_a_file_says_where_events_go(tmp_path: Path) -> None:
    assert read(config_file(tmp_path, SOUND)) == FileSettings("events.jsonl")


def test_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    assert read(config_file(tmp_path, b"\xef\xbb\xbf" + SOUND.encode())) == FileSettings("events.jsonl")


def test_paths_begin_at_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config_file(tmp_path, SOUND)
    monkeypatch.chdir(tmp_path)

    assert read({"OPENLINEAGE_CONFIG": "openlineage.yml"}) == FileSettings("events.jsonl")


def test_paths_begin_at_the_folder_that_is_given(tmp_path: Path) -> None:
    config_file(tmp_path, SOUND)

    assert read({"OPENLINEAGE_CONFIG": "openlineage.yml"}, tmp_path) == FileSettings(
        str(tmp_path / "events.jsonl")
    )


def test_a_symbolic_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link.yml").symlink_to(Path(config_file(tmp_path, SOUND)["OPENLINEAGE_CONFIG"]).name)

    assert read({"OPENLINEAGE_CONFIG": str(tmp_path / "link.yml")}) == FileSettings("events.jsonl")


def test_no_file_is_found_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config_file(tmp_path, SOUND)
    (tmp_path / ".openlineage").mkdir()
    config_file(tmp_path / ".openlineage", SOUND)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))

    assert refused({"HOME": str(tmp_path)}).location == "openlineage.transport"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("", "OPENLINEAGE_CONFIG is set and empty"),
        (" ", "the path in OPENLINEAGE_CONFIG begins or ends with a blank"),
        ("s3cr3t.yml ", "the path in OPENLINEAGE_CONFIG begins or ends with a blank"),
        ("s3cr3t\0.yml", "the path in OPENLINEAGE_CONFIG holds a NUL character"),
        ("s3cr3t.yml", "the configuration file that OPENLINEAGE_CONFIG names does not exist"),
        (
            "s3cr3t" * 1000,
            "the configuration file that OPENLINEAGE_CONFIG names cannot be read: File name too long",
        ),
        (
            "\ud800s3cr3t",
            "the configuration file that OPENLINEAGE_CONFIG names cannot be read: no file can have this name",
        ),
        (".", "the configuration file that OPENLINEAGE_CONFIG names is not a regular file"),
        ("/dev/null", "the configuration file that OPENLINEAGE_CONFIG names is not a regular file"),
    ],
    ids=["empty", "blank", "padded", "NUL", "missing", "long", "surrogate", "folder", "device"],
)
def test_a_path_that_leads_to_no_file_is_refused(path: str, message: str) -> None:
    error = refused({"OPENLINEAGE_CONFIG": path})

    assert (error.location, error.message) == (CONFIG, message)


def test_a_named_pipe_does_not_hold_the_command(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    error = refused({"OPENLINEAGE_CONFIG": str(tmp_path / "pipe")})

    assert error.message == "the configuration file that OPENLINEAGE_CONFIG names is not a regular file"


def test_a_socket_is_no_configuration_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # addresses of sockets are short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")

        error = refused({"OPENLINEAGE_CONFIG": "socket"})

    assert error.message == "the configuration file that OPENLINEAGE_CONFIG names is not a regular file"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    variables = config_file(tmp_path, SOUND)
    Path(variables["OPENLINEAGE_CONFIG"]).chmod(0)

    error = refused(variables)

    assert (error.location, error.message) == (
        CONFIG,
        "the configuration file that OPENLINEAGE_CONFIG names cannot be read: Permission denied",
    )


def test_a_file_has_at_most_65536_bytes(tmp_path: Path) -> None:
    whole = SOUND + "#" * (65_536 - len(SOUND))

    assert read(config_file(tmp_path, whole)) == FileSettings("events.jsonl")
    error = refused(config_file(tmp_path, whole + "#"))
    assert (error.location, error.message) == (
        CONFIG,
        "the configuration file that OPENLINEAGE_CONFIG names has more than 65536 bytes",
    )


def test_a_file_has_at_most_4096_tokens(tmp_path: Path) -> None:
    assert refused(config_file(tmp_path, with_tokens(4096))).location == "openlineage.transport"
    error = refused(config_file(tmp_path, with_tokens(4097)))
    assert (error.location, error.message) == (
        CONFIG,
        "the configuration file has more than 4096 YAML tokens",
    )


def test_a_file_nests_at_most_32_collections(tmp_path: Path) -> None:
    assert refused(config_file(tmp_path, nested(32))).location == "openlineage.transport"
    error = refused(config_file(tmp_path, nested(33)))
    assert (error.location, error.message) == (
        CONFIG,
        "the configuration file nests more than 32 collections: line 1, column 61",
    )


@pytest.mark.parametrize(
    "text",
    ["- " * 33 + "1", "{a: " * 33 + "1" + "}" * 33, "a: [" * 17 + "]" * 17],
    ids=["block", "flow", "pairs"],
)
def test_every_spelling_of_a_collection_counts(tmp_path: Path, text: str) -> None:
    assert "nests more than 32 collections" in refused(config_file(tmp_path, text)).message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("transport: &here {type: file}", "an anchor or alias, and none may stand there: line 1, column 12"),
        ("transport:\n  type: &t file", "an anchor or alias, and none may stand there: line 2, column 9"),
        ("transport: *here", "an anchor or alias, and none may stand there: line 1, column 12"),
        ("transport: {}\ntransport: {}", "a key twice in one mapping: line 2, column 1"),
        ("transport:\n  type: a\n  type: b", "a key twice in one mapping: line 3, column 3"),
        ("on: s3cr3t", "a key that YAML does not read as text: line 1, column 1"),
        ("transport: {17: s3cr3t}", "a key that YAML does not read as text: line 1, column 13"),
        ("transport: {[s3cr3t]: 1}", "a key that YAML does not read as text: line 1, column 13"),
        ("transport: !!python/name:os.system s3cr3t", "a tag that is not permitted there: line 1, column 12"),
        ("transport: !s3cr3t {}", "a tag that is not permitted there: line 1, column 12"),
        ("transport: {}\n---\ntransport: s3cr3t", "several YAML documents: line 2, column 1"),
        ("<<: s3cr3t", "merges something that is no mapping: line 1, column 1"),
        ("transport: {s3cr3t", "is not YAML: line 1, column 19"),
        ("transport: 's3cr3t", "is not YAML: line 1, column 19"),
        ("\ttransport: s3cr3t", "is not YAML: line 1, column 1"),
        ('transport: "\\ud800s3cr3t"', "is not YAML: line 1, column 12"),
        (b"transport: s3cr3t\xff", "is not UTF-8: line 1, column 18"),
        ("transport: s3cr3t".encode("utf-16"), "is not UTF-8: line 1, column 1"),
        ("transport: s3cr3t\x01", "holds a character that may not stand in YAML: line 1, column 18"),
        ("", "is no mapping with the key `transport`"),
        ("# s3cr3t", "is no mapping with the key `transport`"),
        ("null", "is no mapping with the key `transport`"),
        ("[s3cr3t]", "is no mapping with the key `transport`"),
        ("s3cr3t", "is no mapping with the key `transport`"),
        ("s3cr3t: 2024-01-01", "infinity, or as a number that nothing can hold: line 1, column 9"),
    ],
    ids=range(25),
)
def test_what_may_not_stand_in_the_file_is_told_by_its_place(
    tmp_path: Path, content: str | bytes, message: str
) -> None:
    error = refused(config_file(tmp_path, content))

    assert error.location == CONFIG
    assert error.message.endswith(message)
    assert "s3cr3t" not in f"{error.message} {error.suggestion}"
    assert str(tmp_path) not in error.message


def test_aliases_of_aliases_are_refused_before_they_grow(tmp_path: Path) -> None:
    bomb = 'a: &a ["lol"]\n' + "".join(
        f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    started = time.process_time()

    assert "anchor or alias" in refused(config_file(tmp_path, bomb)).message
    assert time.process_time() - started < 5  # following them would take hours


@pytest.mark.parametrize(
    "key", ["facets", "tags", "filters", "dataset_normalization", "disabled", "Transport"]
)
def test_transport_stands_alone_at_the_root(tmp_path: Path, key: str) -> None:
    error = refused(config_file(tmp_path, f"{SOUND}{key}: s3cr3t\n"))

    assert (error.location, error.message) == (
        CONFIG,
        "the configuration file has another key than `transport` at its root: line 2, column 1",
    )


@pytest.mark.parametrize("section", ["[s3cr3t]", "s3cr3t", "17", "false"])
def test_a_transport_is_a_mapping(tmp_path: Path, section: str) -> None:
    error = refused(config_file(tmp_path, f"transport: {section}"))

    assert (error.location, error.message) == (
        "openlineage.transport",
        "`transport` is no mapping: line 1, column 1",
    )


@pytest.mark.parametrize("content", ["{}", "transport:", "transport: {}", "transport: null"])
def test_an_empty_transport_is_none_and_there_is_no_default(tmp_path: Path, content: str) -> None:
    variables = config_file(tmp_path, content)

    assert refused(variables).location == "openlineage.transport"
    assert read({**variables, **environment(TYPE="file", LOG_FILE_PATH="x")}) == FileSettings("x")


@pytest.mark.parametrize(
    ("section", "location"),
    [
        (
            "{type: http, url: 'https://l.example', endpoint: x, timeout: .inf}",
            "openlineage.transport.timeout",
        ),
        (
            "{type: http, url: 'https://l.example', endpoint: x, timeout: .nan}",
            "openlineage.transport.timeout",
        ),
        ("{type: file, log_file_path: 2024-01-01}", "openlineage.transport.log_file_path"),
        ("{retry: {total: 2024-01-01}}", "openlineage.transport.retry.total"),
        ("{retry: {s3cr3t: 2024-01-01}}", "openlineage.transport.retry"),
        ("{s3cr3t: 2024-01-01}", "openlineage.transport"),
    ],
)
def test_a_value_that_yaml_reads_as_something_odd_is_told_at_its_key(
    tmp_path: Path, section: str, location: str
) -> None:
    error = refused(config_file(tmp_path, f"transport: {section}"))

    assert error.location == location
    assert "s3cr3t" not in error.message


def test_yaml_words_for_true_are_true(tmp_path: Path) -> None:
    http = "transport: {type: http, url: 'https://lineage.example', endpoint: api/v1/lineage, verify: yes}"

    assert read(config_file(tmp_path, http)) == read(config_file(tmp_path, {"transport": HTTP}))


def test_a_merge_without_an_anchor_is_read(tmp_path: Path) -> None:
    assert read(config_file(tmp_path, "transport: {<<: {type: file}, log_file_path: x}")) == FileSettings("x")


def test_keys_of_one_type_stay_when_a_variable_asks_for_the_other(tmp_path: Path) -> None:
    error = refused({**config_file(tmp_path, {"transport": FILE}), **environment(TYPE="http")})

    assert (error.location, error.message) == (
        "openlineage.transport",
        "this is no key of a transport of type http: line 2, column 3 of the configuration file",
    )
