"""How the result of a command is shown, and the bytes of stdout and stderr.

Both streams are UTF-8 whatever the locale: bytes go past Python's text layer. Text from a project is shown
with its unprintable characters escaped, so that it cannot steer a terminal, and after redaction. No source
lines are quoted: they could hold a secret.

When the reader of stdout goes away (`| head -1`), the program ends without a word and with status 141,
which is what a shell reports of a filter that died of SIGPIPE.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TextIO

from streamt_ol.ground.errors import Diagnostic, StreamtError
from streamt_ol.ground.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_EXIT_BROKEN_PIPE = 128 + 13

_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


class StdoutError(StreamtError):
    """Stdout is closed or cannot be written, for another reason than a reader that went away."""

    code: ClassVar[str] = "E511_STDOUT"


class ReaderGone(SystemExit):
    """The reader of stdout went away. Uncaught, it ends the program with status 141."""

    def __init__(self) -> None:
        super().__init__(_EXIT_BROKEN_PIPE)


@dataclass(frozen=True, slots=True)
class Result:
    """What a command has to say; it failed if there are errors."""

    command: str
    """The words of the command: `docs openlineage`."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """Plain JSON values; not shown after a failure."""
    warnings: Sequence[Diagnostic] = ()
    errors: Sequence[Diagnostic] = ()

    @property
    def exit_status(self) -> int:
        """Return 0 for success, warnings included, and 1 for failure."""
        return 1 if self.errors else 0

    def envelope(self) -> dict[str, Any]:
        """Return the document of JSON mode (section 7 of the project language)."""
        parts: dict[str, Any] = {
            "status": "error" if self.errors else "ok",
            "command": self.command,
            "data": {} if self.errors else self.data,
        }
        for key, diagnostics in (("errors", self.errors), ("warnings", self.warnings)):
            if diagnostics:
                parts[key] = [redacted(diagnostic).as_dict() for diagnostic in diagnostics]
        return parts


def show(result: Result, *, output: Literal["text", "json"], quiet: bool = False) -> None:
    """Write the warnings and errors to stderr; in JSON mode the errors, and the envelope to stdout.

    `quiet` leaves the warnings out of text mode. What a command prints in text mode is its own
    `write_stdout` or `write_line`.

    Raises `StdoutError` when the envelope of a success cannot be written (show that failure next: it
    reaches stderr), `ReaderGone` when nobody reads it.
    """
    as_json = output == "json"
    warnings = () if quiet or as_json else result.warnings
    lines = [line for warning in warnings for line in _lines("WARNING", warning)]
    lines += [line for error in result.errors for line in _lines("ERROR", error)]
    _write_stderr(lines)
    if as_json:
        try:
            write_stdout(json_document(result.envelope()))
        except StdoutError:
            if not result.errors:  # else stderr has told the failure, and this one adds nothing
                raise


def redacted(diagnostic: Diagnostic) -> Diagnostic:
    """Return a diagnostic with everything that looks like a secret replaced."""
    return diagnostic._replace(
        message=redact(diagnostic.message),
        location=diagnostic.location and redact(diagnostic.location),
        suggestion=diagnostic.suggestion and redact(diagnostic.suggestion),
    )


def json_document(data: Mapping[str, Any]) -> bytes:
    """Return plain values as one JSON document, indented by two blanks, ASCII only."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    return f"{_NOT_ASCII.sub(_escaped, text)}\n".encode()


def write_line(text: str) -> None:
    """Write one line of human output to stdout, unprintable characters escaped; raises as `write_stdout`."""
    write_stdout(f"{printable(text)}\n".encode())


def write_note(text: str) -> None:
    """Write one line to stderr, unprintable characters escaped; a stderr that takes nothing is no error."""
    _write_stderr([printable(text)])


def write_stdout(*chunks: bytes) -> None:
    """Write all the bytes to stdout and flush them.

    Raises `ReaderGone` on a broken pipe, `StdoutError` on any other failure. After either, what is still
    written to stdout is thrown away: the interpreter would fail again when it flushes at its end.
    """
    stdout: TextIO | None = sys.stdout
    if stdout is None:
        raise StdoutError("stdout is closed", location="stdout")
    try:
        for chunk in chunks:
            _write(stdout, chunk)
    except BrokenPipeError:
        _discard(stdout)
        raise ReaderGone from None
    except OSError as error:
        _discard(stdout)
        raise StdoutError(f"stdout cannot be written: {error.strerror}", location="stdout") from error


def printable(text: str) -> str:
    r"""Return the text on one line, each unprintable character as `\x1b`, `\n` or `\u202e`."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def _lines(kind: str, diagnostic: Diagnostic) -> Iterator[str]:
    shown = redacted(diagnostic)
    location = f" at {shown.location}" if shown.location else ""
    place = f" ({shown.place})" if shown.place is not None else ""
    yield printable(f"{kind}: {shown.code}{location}{place}: {shown.message}")
    for line in (shown.suggestion or "").splitlines():
        yield f"  {printable(line)}"


def _escaped(run: re.Match[str]) -> str:
    # Half a surrogate pair (from a file name that is not UTF-8) is no JSON for most readers: it is spelled.
    return json.dumps(run[0].encode("utf-8", "backslashreplace").decode())[1:-1]


def _write(stream: TextIO, data: bytes) -> None:
    """Write past the text layer and its buffer, which would keep, and try again, what failed."""
    stream.flush()
    raw = getattr(stream.buffer, "raw", stream.buffer)
    view = memoryview(data)
    while view:
        written = raw.write(view)
        if written is None:  # a pipe in non-blocking mode is full
            select.select((), (raw,), ())
        else:
            view = view[written:]


def _write_stderr(lines: Sequence[str]) -> None:
    stderr: TextIO | None = sys.stderr
    if stderr is not None:
        with contextlib.suppress(OSError):  # there is nowhere left to tell it
            _write(stderr, "".join(f"{line}\n" for line in lines).encode())


def _discard(stream: TextIO) -> None:
    with contextlib.suppress(OSError):  # a stream in memory has no descriptor, and nothing to flush
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
