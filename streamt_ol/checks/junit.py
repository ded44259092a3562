"""Results as a JUnit report, the form that GitHub, GitLab and Jenkins read: a suite per type of test."""

from __future__ import annotations

import re
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from streamt_ol.checks.details import details, read
from streamt_ol.ground.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamt_ol.checks.records import TestResult
    from streamt_ol.checks.verdicts import Verdicts

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 has no way to write, not even escaped."""


def junit(results: Sequence[TestResult], verdicts: Verdicts, *, show_values: bool = False) -> bytes:
    """Return the report as an XML document in UTF-8, whatever characters names hold.

    Times are in seconds. Secrets are struck out as in all other output.
    """
    by_type = sorted(results, key=attrgetter("type"))  # stable: within a type the order of the run
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines.append(f"<testsuites {_attributes('streamt test', results, verdicts)}>")
    for kind, suite in groupby(by_type, attrgetter("type")):
        lines += _suite(kind, list(suite), verdicts, show_values=show_values)
    lines.append("</testsuites>")
    return "".join(f"{line}\n" for line in lines).encode()


def _suite(
    kind: str, results: Sequence[TestResult], verdicts: Verdicts, *, show_values: bool
) -> Iterator[str]:
    yield f"  <testsuite {_attributes(kind, results, verdicts)}>"
    for result in results:
        yield from _case(result, verdicts.junit(result), show_values=show_values)
    yield "  </testsuite>"


def _case(result: TestResult, state: str, *, show_values: bool) -> Iterator[str]:
    class_name = _quoted(f"{result.type}.{result.model}")
    yield f"    <testcase classname={class_name} name={_quoted(result.name)} {_time(result.seconds)}>"
    lines = list(details(result, show_values=show_values))
    if state != "none":
        first, *_rest = [*lines, result.status]
        causes = (*(error.code for error in result.errors), *(part.assertion for part in result.problems))
        kind = next(filter(None, causes), result.status)
        yield f"      <{state} message={_quoted(first)} type={_quoted(kind)}>{_text(lines)}</{state}>"
    else:
        lines = [*filter(None, [read(result)]), *lines]
        if lines:
            yield f"      <system-out>{_text(lines)}</system-out>"
    yield "    </testcase>"


def _attributes(name: str, results: Sequence[TestResult], verdicts: Verdicts) -> str:
    states = [verdicts.junit(result) for result in results]
    return " ".join(
        (
            f"name={_quoted(name)}",
            f'tests="{len(results)}"',
            f'failures="{states.count("failure")}"',
            f'errors="{states.count("error")}"',
            f'skipped="{states.count("skipped")}"',
            _time(sum(result.seconds for result in results)),
        )
    )


def _time(seconds: float) -> str:
    return f'time="{seconds:.3f}"'


def _quoted(text: str) -> str:
    return quoteattr(_writable(text))


def _text(lines: Sequence[str]) -> str:
    return escape("\n".join(map(_writable, lines)))


def _writable(text: str) -> str:
    return _NO_XML.sub(lambda found: found[0].encode("unicode_escape").decode(), redact(text))
