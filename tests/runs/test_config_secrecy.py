"""A secret planted anywhere in a configuration appears in no error, no log and no traceback; nothing crashes."""

from __future__ import annotations

import logging
import tempfile
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from transport_configs import API_KEY, FILE, HTTP, PREFIX, config_file, packaged_rules

from streamt_ol.ground.redaction import redact
from streamt_ol.runs.config_errors import TransportConfigError, TransportFault, refusal
from streamt_ol.runs.configuration import read_configuration

SECRET = "hunter2"

NAMES = [
    key["variable"]
    for key in packaged_rules().catalogue("transport-keys").entries.values()
    if "variable" in key
]
KEYS = [*HTTP, *FILE, "timeout", "verify", "retry", "auth", "ca_file", "append", "headers", SECRET]
SURROUNDINGS = st.sampled_from(
    ["{}", " {}", "{} ", "/{}", "{}/..", "https://{}", "http://{}", "https://u:{}@h", "https://h/{}", "https://h?{}",
     "https://h:{}", "https://{}:99999", "file:{}", "~/{}", "${{{}}}", "{}\\", "{}%2e", "\ud800{}", "{}\n", "{}\0", "&a {}",
     "*{}", "!{} x", "{}: {}", "[{}", "'{}", "\t{}", "{}: 2024-01-01", "%{}", "<<: {}", "{}\x01", "\udcff{}", "{}" * 50]
)  # fmt: skip
TEXTS = SURROUNDINGS.map(lambda text: text.replace("{}", SECRET).replace("{{", "{").replace("}}", "}"))
SCALARS = st.one_of(
    TEXTS,
    st.sampled_from([*HTTP.values(), *FILE.values(), "api_key", "k3y"]),
    st.integers(),
    st.floats(),
    st.booleans(),
    st.none(),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=2)),
    max_leaves=6,
)
SECTIONS = st.dictionaries(
    st.sampled_from(KEYS),
    st.one_of(
        VALUES,
        st.sampled_from([API_KEY, {"total": 1}]),
        st.dictionaries(st.sampled_from(["type", "apiKey", "total", SECRET]), VALUES, max_size=3),
    ),
    max_size=7,
)
SOUND = st.sampled_from([HTTP, FILE, {}])


@given(section=SECTIONS, sound=SOUND, root=st.one_of(st.none(), st.dictionaries(TEXTS, VALUES, max_size=1)))
@settings(deadline=None, max_examples=300)
def test_a_secret_in_a_file_is_never_told(
    section: dict[str, Any], sound: dict[str, Any], root: dict[str, Any] | None
) -> None:
    content = yaml.dump({"transport": {**sound, **section}, **(root or {})}, allow_unicode=True)
    _look(content.encode("utf-8", "surrogatepass"), {})


@given(
    text=st.lists(TEXTS, min_size=1, max_size=4).map("\n".join),
    before=st.sampled_from(["", "transport: ", "transport:\n  ", "transport: {type: file, log_file_path: "]),
)
@settings(deadline=None, max_examples=300)
def test_a_secret_in_a_broken_file_is_never_told(text: str, before: str) -> None:
    _look(f"{before}{text}".encode("utf-8", "surrogatepass"), {})


@given(
    variables=st.dictionaries(
        st.sampled_from(
            [*NAMES, "OPENLINEAGE_CONFIG", "OPENLINEAGE_DISABLED", "OPENLINEAGE_URL", f"{PREFIX}X"]
        ),
        st.one_of(
            TEXTS, st.sampled_from([*HTTP.values(), *FILE.values(), "api_key", "true", "false", "1", "2"])
        ),
        max_size=6,
    ),
    sound=SOUND,
)
@settings(deadline=None, max_examples=300)
def test_a_secret_in_a_variable_is_never_told(variables: dict[str, str], sound: dict[str, str]) -> None:
    given_by_name = {PREFIX + key.upper(): value for key, value in sound.items()}
    _look(None, {**given_by_name, **variables})


def _look(content: bytes | None, variables: Mapping[str, str]) -> None:
    records = logging.getLogger()
    handler = _Kept()
    records.addHandler(handler)
    level = records.level
    records.setLevel(logging.DEBUG)
    try:
        with tempfile.TemporaryDirectory() as folder:
            named = {} if content is None else config_file(Path(folder), content)
            seen = _told({**named, **variables})
    finally:
        records.removeHandler(handler)
        records.setLevel(level)
    assert SECRET not in seen + "".join(handler.lines)


class _Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def _told(variables: Mapping[str, str]) -> str:
    """Return everything that can be seen of reading a configuration."""
    try:
        return repr(read_configuration(variables, packaged_rules()).settings)
    except TransportConfigError as error:
        seen = [
            repr(error),
            str(error),
            repr(error.diagnostic()),
            repr(error.__cause__),
            repr(error.__context__),
        ]
        return "".join([*seen, *traceback.format_exception(error)])


@pytest.mark.parametrize("fault", packaged_rules().vocabulary.domains["transport_fault"])
def test_every_refusal_can_be_read_after_redaction(fault: str) -> None:
    names = ", ".join(NAMES)
    error = refusal(
        TransportFault(fault, "openlineage.transport", "retry.total", NAMES[-1], "1", names), packaged_rules()
    )

    assert redact(error.message) == error.message
    assert error.suggestion is None or redact(error.suggestion) == error.suggestion
    assert len(error.message) <= 512
