"""What delivers run events, and how one is made of settings.

A transport takes lines: one checked event in canonical bytes, its line feed included (section 6.5 of the
runtime facts). What becomes of each is decided by the table `delivery`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from streamt_ol.runs.settings import FileSettings

if TYPE_CHECKING:
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.runs.settings import Settings


class Transport(Protocol):
    """Delivers events one by one, in order; when `send` returns, the event is delivered."""

    def send(self, line: bytes) -> None:
        """Deliver one event; raises `DeliveryError`, always after `close`."""

    def close(self) -> None:
        """Give everything back; raises `DeliveryError` once. Closing twice is fine."""


def open_transport(settings: Settings, rules: RuleSet) -> Transport:
    """Return the transport of settings, which are checked again: they may be hand-made.

    Nothing is created, opened for writing or sent. Raises `TransportConfigError` for settings that no
    configuration could give, for a log file that cannot be one (R1), and for authorities that cannot be read.
    """
    from streamt_ol.runs.configuration import require_sound

    require_sound(settings, rules)
    if isinstance(settings, FileSettings):
        from streamt_ol.runs.file_transport import FileTransport

        return FileTransport(settings, rules)
    from streamt_ol.runs.http_transport import HttpTransport  # half of the commands never need httpx

    return HttpTransport(settings, rules)
