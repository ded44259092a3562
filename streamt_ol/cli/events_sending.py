"""The sending of events, step by step: what is sent, what ends it, and how that is told."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, ClassVar, NamedTuple

from streamt_ol.cli.documents import DocumentResult
from streamt_ol.cli.events_input import opened
from streamt_ol.cli.progress_bar import shown_progress
from streamt_ol.cli.statuses import FAILURE, INTERRUPTED, SUCCESS
from streamt_ol.ground.errors import Diagnostic, Place, StreamtError
from streamt_ol.ground.pointer import pointer
from streamt_ol.ground.redaction import redact
from streamt_ol.lineage.schemas import OpenLineageSchemas
from streamt_ol.review.events.event_checking import EventsUnreadableError
from streamt_ol.review.events.event_files import read_lines
from streamt_ol.review.events.event_findings import severity_of
from streamt_ol.review.events.event_rules import EventRules
from streamt_ol.runs.config_needs import CONFIGURATION_NEEDS
from streamt_ol.runs.configuration import read_settings
from streamt_ol.runs.deliveries import DELIVERY_NEEDS, DeliveryError
from streamt_ol.runs.settings import FileSettings
from streamt_ol.runs.transports import open_transport

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamt_ol.cli.face import Face
    from streamt_ol.cli.report import Result
    from streamt_ol.ground.watching import Watch
    from streamt_ol.review.events.event_files import Line
    from streamt_ol.runs.settings import Settings
    from streamt_ol.runs.transports import Transport

NOT_DELIVERED = "E550_EVENT_NOT_DELIVERED"
NOT_SENT = "E551_EVENT_NOT_SENT"


class LineMissingError(StreamtError):
    """The events end before the line from which they were to be sent."""

    code: ClassVar[str] = "E552_EVENTS_LINE_MISSING"


class SentIntoItselfError(StreamtError):
    """The file that is read is the log file that is written."""

    code: ClassVar[str] = "E553_EVENTS_SENT_INTO_ITSELF"


class SendRequest(NamedTuple):
    """What the command line asks for, and the variables of the process."""

    file: str
    from_line: int
    variables: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _SendResult(DocumentResult):
    """A result that also says how far the work came where it did not come to its end."""

    interrupted: bool = False

    @property
    def exit_status(self) -> int:
        """Return 0 when everything was sent, 130 after an interruption, else 1."""
        return INTERRUPTED if self.interrupted else FAILURE if self.errors else SUCCESS


def send_events(request: SendRequest, face: Face) -> Result:
    """Return how far the sending came; after a success the summary is on stdout.

    Raises what the configuration and its transport are refused with, `EventsUnreadableError` for a file that
    cannot be opened, and `SentIntoItselfError`; nothing was sent then.
    """
    rules = face.load_rules(CONFIGURATION_NEEDS, DELIVERY_NEEDS)
    settings = read_settings(request.variables, rules)
    event_rules = EventRules(OpenLineageSchemas.packaged())
    with opened(request.file) as stream:
        _refuse_itself(stream, settings, request.file)
        sender = _Sender(request, open_transport(settings, rules), event_rules)
        with shown_progress(quiet=face.quiet) as watch:
            errors = sender.run(stream, watch)
    if not errors:
        face.say(sender.summary())
    return _SendResult(face.command, data=sender.data(), errors=errors, interrupted=sender.interrupted)


class _Sender:
    """Sends lines one by one, and knows at any time how far it is."""

    def __init__(self, request: SendRequest, transport: Transport, rules: EventRules) -> None:
        self.interrupted = False
        self._file = request.file
        self._first = request.from_line
        self._transport = transport
        self._rules = rules
        self._sent = 0
        self._done = request.from_line - 1
        """The last line that asks for nothing more: before the first, delivered, or blank."""
        self._under_way = False

    def run(self, stream: BinaryIO, watch: Watch) -> list[Diagnostic]:
        """Send what a stream holds and close the transport; return what went wrong."""
        try:
            return self._stopped(stream, watch) or self._unclosed()
        except KeyboardInterrupt:
            self.interrupted = True
            doubt = "; the next line may have arrived, too" if self._under_way else ""
            return [Diagnostic("E591_INTERRUPTED", f"interrupted{doubt}", suggestion=self._onward())]
        finally:
            with contextlib.suppress(DeliveryError):  # nothing is left to say after what is said already
                self._transport.close()

    def summary(self) -> str:
        """Return what was sent, in words."""
        lines = f" (lines {self._first} to {self._done})" if self._sent else ""
        return f"Sent {self._sent} events{lines}"

    def data(self) -> dict[str, str | int]:
        """Return how far the work came, as plain values."""
        return {
            "file": self._file,
            "sent": self._sent,
            "from_line": self._first,
            "next_line": self._done + 1,
        }

    def _stopped(self, stream: BinaryIO, watch: Watch) -> list[Diagnostic]:
        """Return why the sending ended before the end of the stream; nothing when it did not."""
        number = 0
        try:
            for line in self._lines(stream):
                number = line.number
                if number >= self._first:
                    errors = self._faults(line) or self._undelivered(line)
                    if errors:
                        return errors
                    self._done = number
                    watch("Sending events", self._sent, None)
        except EventsUnreadableError as error:
            return [error.diagnostic()._replace(suggestion=self._onward())]
        if number < self._first - 1:
            missing = LineMissingError(f"the events end at line {number}", place=Place(self._file))
            return [missing.diagnostic()]
        return []

    def _lines(self, stream: BinaryIO) -> Iterator[Line]:
        try:
            yield from read_lines(stream)
        except OSError as error:
            place = Place(self._file, self._done + 1)
            raise EventsUnreadableError(f"cannot be read on: {error.strerror}", place=place) from error

    def _faults(self, line: Line) -> list[Diagnostic]:
        """Return the errors of a line, then that it ends the work; nothing for a line that has none."""
        remarks = list(line.remarks)
        if line.has_value:
            remarks += self._rules.remarks(line.value, self._rules.kind_of(line.value))
        place = Place(self._file, line.number)
        faults = [
            Diagnostic(
                remark.code,
                remark.message,
                pointer(*(redact(str(key)) for key in remark.path)) or None,
                place._replace(column=remark.column),
            )
            for remark in remarks
            if severity_of(remark.code) == "error"
        ]
        if faults:
            message = "the line is no valid event: neither it nor what follows was sent"
            faults.append(
                Diagnostic(NOT_SENT, message, place=place, suggestion=self._onward("correct it, then "))
            )
        return faults

    def _undelivered(self, line: Line) -> list[Diagnostic]:
        """Send a line; return why it was not delivered. Blank lines are passed over."""
        if not line.has_value:
            return []
        self._under_way = True
        try:
            self._transport.send(line.data + b"\n")
        except DeliveryError as error:
            place = Place(self._file, line.number)
            return [Diagnostic(NOT_DELIVERED, error.message, error.location, place, self._onward())]
        self._sent += 1
        self._under_way = False
        return []

    def _unclosed(self) -> list[Diagnostic]:
        try:
            self._transport.close()
        except DeliveryError as error:
            return [Diagnostic(NOT_DELIVERED, error.message, error.location, None, self._onward())]
        return []

    def _onward(self, first: str = "") -> str:
        """Return how far the work came and how it goes on."""
        so_far = (
            f"{self._sent} events were delivered, up to line {self._done}"
            if self._sent
            else "no event was delivered"
        )
        return f"{so_far}; {first}go on with --from-line {self._done + 1}"


def _refuse_itself(stream: BinaryIO, settings: Settings, file: str) -> None:
    """Refuse to read the file that is written: it would never end."""
    if not isinstance(settings, FileSettings):
        return
    try:
        same = os.path.samestat(os.fstat(stream.fileno()), os.stat(settings.path))  # noqa: PTH116 - as typed
    except OSError:  # there is no log file yet, or no descriptor behind standard input
        return
    if same:
        raise SentIntoItselfError(
            "is the log file of the transport: it would be sent into itself", place=Place(file)
        )
