"""What every command shares: the global options, and how its outcome is shown."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

import orjson

from streamt_ol.cli.report import Result, show, write_line, write_note
from streamt_ol.ground.atomic_file import OutputFileError, preflight, write_atomically
from streamt_ol.ground.errors import Diagnostic, Failures, StreamtError, recoded
from streamt_ol.ground.pointer import pointer
from streamt_ol.ground.resources import rules_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from streamt_ol.engine.ruleset import Needs, RuleSet
    from streamt_ol.engine.tables import Question, Watch
    from streamt_ol.ground.yaml_events import Backend
    from streamt_ol.project.records import Origins


class Face:
    """The global options of one run of the program, and what it decided for `--trace`."""

    def __init__(
        self,
        output: Literal["text", "json"] = "text",
        *,
        quiet: bool = False,
        rules: Path | None = None,
        trace: Path | None = None,
    ) -> None:
        self.output = output
        self.quiet = quiet
        self.verbose = False
        self.rules = rules
        self.yaml_loader: Backend = "auto"
        self.trace = trace
        self.command = ""
        self.warnings: list[Diagnostic] = []
        """What a command warns of that may end with an exception: it is shown all the same."""
        self._decisions: list[bytes] = []

    def load_rules(self, *needs: Needs, watch: Watch | None = None) -> RuleSet:
        """Return the rule set of `--rules`, else the packaged one, with everything that the command reads.

        Of the packaged one a command that says what it needs gets no more: the rest, which decides nothing
        for it, is left to `rules check`. A rule set of somebody else is verified as a whole.

        `watch` is called with every question that its tables are asked, and so is the trace.
        """
        from streamt_ol.engine.ruleset import load_rules  # `--version` and `--help` read no rules

        only = {name for need in needs for name in (*need.tables, *need.catalogues)}
        folder = self.rules or rules_folder()
        rules = load_rules(folder, self.yaml_loader, only if only and self.rules is None else None)
        for need in needs:
            rules.require(need)
        watches = [] if watch is None else [watch]
        if self.trace is not None:
            watches.append(self._note)
        if watches:
            rules.watch(_each_of(watches))
        return rules

    def _note(self, question: Question) -> None:
        for decision in question.decisions:
            about = {"at": question.at, "table": decision.table, "row": decision.row.id}
            self._decisions.append(orjson.dumps(about))

    def run(self, command: str, work: Callable[[], Result]) -> int:
        """Run a command's work, show its result and return the exit status; a failure is traced too."""
        self.command = command
        result = self._outcome(work)
        show(result, output=self.output, quiet=self.quiet)
        return result.exit_status

    def _outcome(self, work: Callable[[], Result]) -> Result:
        try:
            if self.trace is not None:
                with _about_the_trace():
                    preflight(self.trace)
            result = work()
            if self.trace is not None:
                lines = (line + b"\n" for line in dict.fromkeys(self._decisions))
                with _about_the_trace():
                    write_atomically(self.trace, b"".join(lines))
        except (StreamtError, Failures) as error:
            return Result(self.command, errors=diagnostics(error))
        return result

    def say(self, text: str) -> None:
        """Print one line of human output; nothing in JSON mode or when quiet."""
        if self.output == "text" and not self.quiet:
            write_line(text)

    def explain(self, text: str) -> None:
        """Print one line about what is going on to stderr, when `--verbose` asks for it."""
        if self.verbose and self.output == "text":
            write_note(text)


def _each_of(watches: Sequence[Watch]) -> Watch:
    def tell(question: Question) -> None:
        for watch in watches:
            watch(question)

    return tell


def diagnostics(
    error: StreamtError | Failures, origins: Origins | None = None, code: str | None = None
) -> list[Diagnostic]:
    """Return what to show of a failure: places found by reading files again, under the command's code."""
    failures: Sequence[StreamtError] = error.failures if isinstance(error, Failures) else (error,)
    found: list[Diagnostic] = []
    for failure in failures:
        shown = failure.diagnostic()
        location = _pointer(failure.location or "")
        if shown.place is None and origins is not None and location:
            place = origins.place(location, failure.line_within, failure.column_within)
            shown = shown._replace(place=place)
        found.append(recoded(shown, code) if code else shown)
    return found


def _pointer(location: str) -> str:
    """Return a location as a pointer: runtime addresses are located with dots, options not in any file."""
    if location.startswith("runtime."):
        return pointer(*location.split("."))
    return location if location.startswith("/") else ""


@contextmanager
def _about_the_trace() -> Iterator[None]:
    """Locate a failure at the trace: other output files belong to commands."""
    try:
        yield
    except OutputFileError as error:
        error.location = "trace"
        raise
