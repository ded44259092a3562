"""The JUnit report: the elements and attributes that GitHub, GitLab and Jenkins read."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from checked import packaged_rules

from streamt_ol.checks import records
from streamt_ol.checks.junit import junit
from streamt_ol.checks.records import NotEvaluated, Problem
from streamt_ol.checks.verdicts import Verdicts
from streamt_ol.ground.errors import Diagnostic

PROBLEM = Problem(
    "not_null", "`id` is null or missing in 3 of 9 messages", ((0, 4), (1, 7)), ('"x"', "null"), 1
)
LINE = "not_null: `id` is null or missing in 3 of 9 messages; at partition 0 offset 4, partition 1 offset 7, and 1 more"


def result(name: str, status: records.Status, kind: str = "sample", **more: object) -> records.TestResult:
    made = records.TestResult("/tests/0", name, "orders", kind, status)
    return made._replace(**more)


RESULTS = [
    result("a", "passed", topic="shop.orders", sampled=9, seconds=0.25),
    result("b", "failed", problems=(PROBLEM,), topic="shop.orders", sampled=9, seconds=1.5),
    result("c", "passed", "schema", seconds=0.001),
    result("d", "error", errors=(Diagnostic("E406_CONNECTION_REFUSED", "nobody answers"),), seconds=2.0),
    result("e", "skipped", "continuous", problems=(Problem("", "cluster 'm' has no job 'test_e'"),)),
]


def parsed(results: list[records.TestResult], *, show_values: bool = False) -> ET.Element:
    return ET.fromstring(junit(results, Verdicts(packaged_rules()), show_values=show_values))  # noqa: S314 - a report that was just made


def case(root: ET.Element, name: str) -> ET.Element:
    (found,) = root.findall(f".//testcase[@name='{name}']")
    return found


def test_a_suite_per_type_counts_its_tests_failures_errors_skips_and_seconds() -> None:
    root = parsed(RESULTS)

    assert (root.tag, root.attrib) == (
        "testsuites",
        {
            "name": "streamt test",
            "tests": "5",
            "failures": "1",
            "errors": "1",
            "skipped": "1",
            "time": "3.751",
        },
    )
    assert [(suite.tag, suite.attrib) for suite in root] == [
        (
            "testsuite",
            {
                "name": name,
                "tests": tests,
                "failures": failed,
                "errors": errors,
                "skipped": left,
                "time": time,
            },
        )
        for name, tests, failed, errors, left, time in (
            ("continuous", "1", "0", "0", "1", "0.000"),
            ("sample", "3", "1", "1", "0", "3.750"),
            ("schema", "1", "0", "0", "0", "0.001"),
        )
    ]


def test_a_case_has_class_name_name_and_seconds_and_says_how_it_ended() -> None:
    root = parsed(RESULTS)

    assert case(root, "b").attrib == {"classname": "sample.orders", "name": "b", "time": "1.500"}
    assert [(part.tag, part.attrib, part.text) for part in case(root, "b")] == [
        ("failure", {"message": LINE, "type": "not_null"}, LINE)
    ]
    assert [(part.tag, part.attrib) for part in case(root, "d")] == [
        (
            "error",
            {"message": "E406_CONNECTION_REFUSED: nobody answers", "type": "E406_CONNECTION_REFUSED"},
        )
    ]
    assert [(part.tag, part.attrib["message"]) for part in case(root, "e")] == [
        ("skipped", "cluster 'm' has no job 'test_e'")
    ]
    assert list(case(root, "c")) == []


def test_what_was_read_and_not_evaluated_is_said_of_a_test_that_passed() -> None:
    left = (NotEvaluated("throughput", "a sample does not tell"),)

    root = parsed([RESULTS[0]._replace(not_evaluated=left)])

    (output,) = case(root, "a")
    assert (output.tag, output.text) == (
        "system-out",
        "9 messages of shop.orders\nthroughput not evaluated: a sample does not tell",
    )


def test_values_are_there_only_if_somebody_asked_for_them() -> None:
    asked = parsed(RESULTS, show_values=True)

    assert case(asked, "b")[0].text == f'{LINE}\n  partition 0 offset 4: "x"\n  partition 1 offset 7: null'
    assert b"&quot;x&quot;" not in junit(RESULTS, Verdicts(packaged_rules()))
    assert b'"x"' not in junit(RESULTS, Verdicts(packaged_rules()))


def test_no_test_is_a_report_of_no_tests() -> None:
    root = parsed([])

    assert (root.attrib["tests"], root.attrib["time"], list(root)) == ("0", "0.000", [])


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("<b> & \"q\" 'a' ]]>", "<b> & \"q\" 'a' ]]>"),
        ("é 日本 😀", "é 日本 😀"),
        ("\x1b[31m\x00\x7f", "\\x1b[31m\\x00\x7f"),
        ("\ufffe\ud800", "\\ufffe\\ud800"),
        ("two\nlines\ttab\rreturn", "two\nlines\ttab\rreturn"),
    ],
    ids=ascii,
)
def test_any_text_is_well_formed(name: str, read: str) -> None:
    results = [result(name, "failed", problems=(Problem(name, name),))]

    root = parsed(results)

    (found,) = root.iter("testcase")
    (failure,) = found
    assert (found.attrib["name"], failure.attrib["type"]) == (read, read)
    assert failure.attrib["message"] == f"{read}: {read}"


def test_secrets_are_struck_out() -> None:
    results = [result("a", "error", errors=(Diagnostic("E1", "password=planted"),))]

    assert b"planted" not in junit(results, Verdicts(packaged_rules()))
