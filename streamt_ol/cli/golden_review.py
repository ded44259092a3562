"""`streamt golden review`: one run after the other on a terminal, shown by meaning and decided about."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, ClassVar

import click

from streamt_ol.cli.documents import shown
from streamt_ol.cli.golden_work import run_and_record
from streamt_ol.cli.report import Result, write_stdout
from streamt_ol.ground.errors import StreamtError
from streamt_ol.review.diffs import diff_text
from streamt_ol.review.diffs.change_facts import require_changes
from streamt_ol.review.golden.comparing import compare
from streamt_ol.review.golden.errors import NotComparableError
from streamt_ol.review.golden.pending import approved_parts, latest_parts
from streamt_ol.review.golden.texts import counted, part_diff, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from streamt_ol.cli.face import Face
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.review.golden.cases import Run
    from streamt_ol.review.golden.pending import Pending

_MOST_LINES = 40
"""Of one text, until somebody asks for all of it."""
_KEYS = {
    "a": "accept",
    "r": "reject",
    "s": "skip",
    "A": "accept all that are left",
    "R": "reject all that are left",
    "d": "show everything",
    "q": "skip all that are left",
}


class NoTerminalError(StreamtError):
    """A question was to be asked, and nobody is there to answer."""

    code: ClassVar[str] = "E174_GOLDEN_NO_TERMINAL"


def review_golden(face: Face, folder: Path, names: Sequence[str]) -> Result:
    """Run cases and ask about each run that differs; return how many were decided which way.

    Raises `NoTerminalError`, what reading and running cases raise, and `OutputFileError`.
    """
    if face.output == "json" or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise NoTerminalError(
            "a review needs a terminal",
            location="stdin",
            suggestion="in scripts use `streamt golden run`, then `accept` or `reject`",
        )
    rules = face.load_rules()
    require_changes(rules)
    _say(f"Running the cases of {folder} ...")
    runs, pending = run_and_record(face, folder, names)
    waiting: dict[str, list[Pending]] = {}
    for each in pending:
        waiting.setdefault(each.run.id, []).append(each)
    differing = [run for run in runs if run.id in waiting]
    decided: Counter[str] = Counter()
    answer = ""
    for number, run in enumerate(differing, 1):
        if answer not in {"A", "R", "q"}:
            answer = _ask(run, f"{number} of {len(differing)}", rules)
        decided[_decide(waiting[run.id], answer)] += 1
    counts = {word: decided[word] for word in ("accepted", "rejected", "skipped")}
    _say(f"{counted(len(runs), 'run')}: " + ", ".join(f"{count} {word}" for word, count in counts.items()))
    return Result(face.command, data=counts)


def _decide(pending: Sequence[Pending], answer: str) -> str:
    if answer in {"a", "A"}:
        for each in pending:
            each.accept()
        return "accepted"
    if answer in {"r", "R"}:
        for each in pending:
            each.reject()
        return "rejected"
    return "skipped"


def _ask(run: Run, position: str, rules: RuleSet) -> str:
    """Show what differs about a run and return the key of the answer."""
    _say("", f"--- {run.id} ({position})", *_difference(run, rules, _MOST_LINES))
    keys = "  ".join(f"[{key}] {meaning}" for key, meaning in _KEYS.items())
    while True:
        _say("", keys)
        answer: str = click.prompt("?", prompt_suffix=" ", type=click.Choice(list(_KEYS)), show_choices=False)
        if answer != "d":
            return answer
        _say("", *_difference(run, rules, None))


def _difference(run: Run, rules: RuleSet, most: int | None) -> Iterator[str]:
    """Yield the lines that show what is pending against what is approved."""
    old, new = approved_parts(run), latest_parts(run)
    try:
        comparison = compare(run.id, old, new, rules)
    except NotComparableError as error:
        yield f"not compared by meaning: {error.message}"
        as_text = [part for part in old if old[part] != new[part]]
    else:
        as_text = comparison.as_text
        if comparison.diff is not None and not comparison.diff.is_empty:
            yield from diff_text.render(comparison.diff).splitlines()
    for part in as_text:
        lines = part_diff(part, old[part], new[part])
        yield from ("", f"{part}:", *(lines if most is None else shortened(lines, most)))


def _say(*lines: str) -> None:
    write_stdout(shown(lines).encode())
