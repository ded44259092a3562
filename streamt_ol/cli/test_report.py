"""What `streamt test` shows: a table for people, aligned lines for files, plain values for programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from streamt_ol.checks.details import details, read
from streamt_ol.checks.faults import counted
from streamt_ol.cli.documents import painted
from streamt_ol.cli.report import printable, write_stdout
from streamt_ol.ground.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamt_ol.checks.coverage import Coverage
    from streamt_ol.checks.records import Problem, TestResult
    from streamt_ol.checks.verdicts import Verdicts
    from streamt_ol.cli.face import Face

_COLOURS = {"passed": "green", "failed": "red", "error": "red", "skipped": "yellow"}


def coverage_data(coverage: Coverage) -> dict[str, Any]:
    """Return the data of the envelope for `--coverage`."""
    return {
        "coverage": [{"model": name, "covered": covered} for name, covered in coverage.models],
        "covered": coverage.covered,
        "total": len(coverage.models),
        "percent": coverage.percent,
    }


def show_coverage(coverage: Coverage, face: Face) -> None:
    """Print every model and whether it has a test; nothing in JSON mode or when quiet."""
    rows = [("tested" if covered else "no test", name) for name, covered in coverage.models]
    for line in _aligned(rows):
        face.say(line)
    face.say(f"{coverage.percent} % tested: {coverage.covered} of {counted(len(coverage.models), 'model')}")


def results_data(results: Sequence[TestResult], verdicts: Verdicts, *, show_values: bool) -> dict[str, Any]:
    """Return the data of the envelope. Whatever has not passed counts as failed."""
    passed = sum(map(verdicts.passed, results))
    return {
        "results": [_result(result, show_values=show_values) for result in results],
        "passed": passed,
        "failed": len(results) - passed,
        "total": len(results),
    }


def _result(result: TestResult, *, show_values: bool) -> dict[str, Any]:
    parts: dict[str, Any] = {
        "name": result.name,
        "model": result.model,
        "type": result.type,
        "status": result.status,
    }
    if result.sampled is not None:
        parts |= {"topic": result.topic, "sampled": result.sampled}
    errors = [{"code": error.code, "message": redact(error.message)} for error in result.errors]
    errors += [_problem(problem, show_values=show_values) for problem in result.problems]
    if errors:
        parts["errors"] = errors
    if result.not_evaluated:
        parts["not_evaluated"] = [
            {"assertion": left.assertion, "reason": redact(left.reason)} for left in result.not_evaluated
        ]
    return parts


def _problem(problem: Problem, *, show_values: bool) -> dict[str, Any]:
    parts: dict[str, Any] = {"assertion": problem.assertion} if problem.assertion else {}
    parts["message"] = redact(problem.message)
    if problem.positions:
        messages: list[dict[str, Any]] = [
            {"partition": partition, "offset": offset} for partition, offset in problem.positions
        ]
        if show_values:
            for message, value in zip(messages, problem.values, strict=True):
                message["value"] = redact(value)
        parts |= {"messages": messages, "more": problem.more}
    return parts


def show_results(results: Sequence[TestResult], verdicts: Verdicts, face: Face, *, show_values: bool) -> None:
    """Print what became of the tests; nothing in JSON mode, only what has not passed when quiet."""
    if face.output == "json":
        return
    shown = [result for result in results if not (face.quiet and verdicts.passed(result))]
    terminal = sys.stdout is not None and sys.stdout.isatty()
    layout = _table if terminal else _plain
    text = "".join(f"{line}\n" for line in layout(shown, show_values=show_values))
    if not face.quiet:
        text += f"{_summary(results)}\n"
    write_stdout(text.encode())


def _summary(results: Sequence[TestResult]) -> str:
    """Return `5 tests: 1 passed, 1 failed, 2 errors, 1 skipped`."""
    if not results:
        return "No test is selected"
    statuses = [result.status for result in results]
    counts = [
        counted(statuses.count(status), status) if status == "error" else f"{statuses.count(status)} {status}"
        for status in _COLOURS
        if status in statuses
    ]
    return f"{counted(len(results), 'test')}: {', '.join(counts)}"


def _plain(results: Sequence[TestResult], *, show_values: bool) -> Iterator[str]:
    heads = _aligned([_head(result) for result in results])
    for head, result in zip(heads, results, strict=True):
        yield head
        for line in _details(result, show_values=show_values):
            yield f"  {line}"


def _head(result: TestResult) -> tuple[str, ...]:
    return tuple(
        printable(redact(part))
        for part in (result.status, result.name, result.type, result.model, read(result))
    )


def _details(result: TestResult, *, show_values: bool) -> list[str]:
    return [printable(redact(line)) for line in details(result, show_values=show_values)]


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def _table(results: Sequence[TestResult], *, show_values: bool) -> list[str]:
    """Return the lines of a table as wide as the terminal."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 2, 0, 0))
    for column in ("Result", "Test", "Type", "Model", "What was found"):
        table.add_column(column, overflow="fold")
    for result in results:
        status, name, kind, model, much = _head(result)
        found = [*filter(None, [much]), *_details(result, show_values=show_values)]
        table.add_row(
            Text(status, style=_COLOURS[status]), Text(name), Text(kind), Text(model), Text("\n".join(found))
        )
    return painted([table] if results else []).splitlines()
