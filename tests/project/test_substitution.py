"""Variables in `runtime`, the table of section 2, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamt_ol.ground.errors import Place
from streamt_ol.project.errors import VariablesUnsetError
from streamt_ol.project.substitution import resolved

VARIABLES = {"SET": "value", "EMPTY": "", "NESTED": "${SET}", "_a1": "under"}


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("${SET}", "value"),
        ("a ${SET} b ${SET}", "a value b value"),
        ("${EMPTY}", ""),
        ("${EMPTY:-default}", ""),
        ("${SET:-default}", "value"),
        ("${UNSET:-default}", "default"),
        ("${UNSET:-}", ""),
        ("${UNSET:-a:-b}", "a:-b"),
        ("${UNSET:-two\nlines}", "two\nlines"),
        ("${_a1}", "under"),
        ("$SET", "$SET"),
        ("${SET-x}", "${SET-x}"),
        ("${SET:}", "${SET:}"),
        ("${SET:?x}", "${SET:?x}"),
        ("${1A}", "${1A}"),
        ("${}", "${}"),
        ("${ SET }", "${ SET }"),
        ("$${SET}", "$value"),
        ("${UNSET:-${SET}}", "${SET}"),
        ("${SET:-${SET}}", "value}"),
        (r"${UNSET:-a\}b}", "a\\b}"),
        ("${NESTED}", "${SET}"),
    ],
)
def test_text_becomes(text, result):
    assert resolved({"runtime": {"k": [text]}}, VARIABLES) == {"runtime": {"k": [result]}}


def test_keys_and_values_outside_runtime_stay():
    content = {"environment": {"description": "${SET}"}, "runtime": {"${SET}": 5, "n": None}}

    assert resolved(content, VARIABLES) == content


def test_all_missing_variables_are_named_sorted_at_the_first_place():
    content = {"runtime": {"a": ["x", "${ZULU} ${ALPHA}"], "b": "${MIKE} ${UNSET:-d} ${ZULU}"}}

    with pytest.raises(VariablesUnsetError) as caught:
        resolved(content, VARIABLES)
    assert caught.value.message == "environment variables are not set: ALPHA, MIKE, ZULU"
    assert (caught.value.code, caught.value.location) == ("E502_ENV_VAR_ERROR", "/runtime/a/1")


PIECES = st.one_of(
    st.text(alphabet="a }:-{", max_size=4).map(lambda text: (text, text)),
    st.sampled_from([("${SET}", "value"), ("${EMPTY:-x}", ""), ("${NO:-x}", "x"), ("${NESTED}", "${SET}")]),
)


@given(st.lists(PIECES))
def test_each_reference_is_replaced_by_itself_and_once(pieces):
    text = "".join(piece for piece, _ in pieces)

    assert resolved({"runtime": text}, VARIABLES)["runtime"] == "".join(result for _, result in pieces)


def test_a_missing_variable_is_shown_with_its_place_and_beside_other_failures(failures):
    main = 'project: {name: p, owner: x}\nruntime:\n  kafka: {bootstrap_servers: "${B}${A}"}\n'
    unknown, unset = failures(main=main)

    assert (unknown.code, unknown.location) == ("E501_PARSE_ERROR", "/project/owner")
    assert unset.message == "environment variables are not set: A, B"
    assert unset.place == Place("stream_project.yml", 3, 30)


def test_values_are_checked_after_substitution(load, failure):
    main = (
        'project: {name: p}\nruntime: {kafka: {bootstrap_servers: "${B:-b:1}", security_protocol: "${S}"}}\n'
    )

    assert load(main=main, variables={"S": "sasl_ssl"}).project.runtime["kafka"] == {
        "bootstrap_servers": "b:1",
        "security_protocol": "sasl_ssl",
    }
    assert failure(main=main, variables={"S": "none"}).location == "/runtime/kafka/security_protocol"
    assert failure(main=main, variables={"S": "SSL", "B": ""}).location == "/runtime/kafka/bootstrap_servers"
