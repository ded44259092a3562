"""Formats: the grammars of RFC 3339, RFC 3986 and RFC 4122, and that both validators use them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamt_ol.ground.json_formats import FORMATS, FormatsUncheckedError, assert_formats_checked
from streamt_ol.ground.json_schema import Checker

WELL_FORMED = {
    "date-time": (
        "2026-01-01T00:00:00Z",
        "2026-01-01t00:00:00z",
        "2024-02-29T23:59:59.123456789+14:00",
        "2026-01-01T00:00:00-00:00",
        "0000-02-29T00:00:00Z",
        "1998-12-31T23:59:60Z",
        "1998-12-31T15:59:60.123-08:00",
        "1999-01-01T09:29:60+09:30",
    ),
    "uri": (
        "https://github.com/conduktor/streamt",
        "kafka://my_broker:9092",
        "kafka://[::1]:9092",
        "http://[::ffff:1.2.3.4]/",
        "http://[v1.x]/",
        "urn:uuid:x",
        "mailto:a@b",
        "a:",
        "file:///x",
        "HTTP://u:p@h:/a%20b?x=/?#y/?",
    ),
    "uuid": ("2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2EB8AA08-AA98-11EA-B4AA-73B441D16380"),
}
MALFORMED = {
    "date-time": (
        "",
        "yesterday",
        "2026-02-30T00:00:00Z",
        "2023-02-29T00:00:00Z",
        "2026-01-01T00:00:00",
        "2026-01-01 00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:61Z",
        "2026-01-01T00:00Z",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00+00:60",
        "2026-01-01T00:00:00+0100",
        "2026-01-01T00:00:00Z\n",
        "२०२६-01-01T00:00:00Z",
        "1998-12-31T22:59:60Z",
        "1998-12-31T23:59:60+01:00",
    ),
    "uri": (
        "",
        "not a uri",
        "/relative",
        "//host/path",
        "1a:b",
        "http://a b",
        "http://a/%zz",
        "http://ä/",
        "http://a/ü",
        "http://a#b#c",
        "http://a/{x}",
        "http://a|b",
        "http://a\\b",
        "http://a/b[c]",
        "http://u@p@h",
        "http://h:port",
        "http://[::1",
        "http://[fe80::1%25eth0]/",
        "http://[1:2:3]/",
        "http://a\n",
    ),
    "uuid": (
        "",
        "x",
        "2eb8aa08aa9811eab4aa73b441d16380",
        "urn:uuid:2eb8aa08-aa98-11ea-b4aa-73b441d16380",
        "{2eb8aa08-aa98-11ea-b4aa-73b441d16380}",
        "2eb8aa08-aa98-11ea-b4aa-73b441d1638",
        "2eb8aa08-aa98-11ea-b4aa73b4-41d16380",
        "2eb8aa08-aa98-11ea-b4aa-73b441d16380\n",
        "２eb8aa08-aa98-11ea-b4aa-73b441d16380",
    ),
}
CHECKERS = {name: Checker({"format": name}) for name in FORMATS}
ALPHABETS = {
    "date-time": "0123456789-:.+TtZz ",
    "uri": "aZ09:/?#[]@!%2F.-_~|{} üv",
    "uuid": "0123456789abcdefABCDEF-{}",
}
NEAR_MISSES = st.sampled_from(sorted(FORMATS)).flatmap(
    lambda name: st.tuples(
        st.just(name),
        st.tuples(
            st.sampled_from([*WELL_FORMED[name], *MALFORMED[name]]),
            st.integers(0, 40),
            st.text(ALPHABETS[name], max_size=2),
            st.integers(0, 2),
        ).map(lambda edit: edit[0][: edit[1]] + edit[2] + edit[0][edit[1] + edit[3] :]),
    )
)


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, all_ in WELL_FORMED.items() for text in all_]
)
def test_a_well_formed_text_has_the_format(name, text):
    assert FORMATS[name](text)


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, all_ in MALFORMED.items() for text in all_]
)
def test_a_malformed_text_lacks_the_format(name, text):
    assert not FORMATS[name](text)


@settings(deadline=None, max_examples=500)
@given(NEAR_MISSES)
def test_both_validators_give_the_verdict_of_the_format_function(case):
    name, text = case

    verdict = FORMATS[name](text)

    assert CHECKERS[name].accepts(text) is verdict
    assert [problem.validator for problem in CHECKERS[name].problems(text)] == ([] if verdict else ["format"])


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("value", [None, True, 3, 2.5, [], {}])
def test_only_strings_are_asked_for_a_format(name, value):
    assert CHECKERS[name].accepts(value)
    assert list(CHECKERS[name].problems(value)) == []


def test_a_validator_that_ignores_a_format_is_refused_by_name():
    with pytest.raises(FormatsUncheckedError) as refusal:
        assert_formats_checked(lambda name, text: name != "uuid" or FORMATS[name](text))

    assert refusal.value.message == "an installed validator does not check the formats date-time, uri"
    assert refusal.value.location == "format"


def test_a_validator_that_checks_every_format_is_taken():
    assert_formats_checked(lambda name, text: FORMATS[name](text))
