"""What workers answer while they share their work out anew, before they have done anything of what was asked.

A worker hands changes on to the one that leads its group. Where that one has just ended, nobody leads until
it is missed, ten seconds as a rule. Measured on Kafka Connect 4.3.1.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from streamt_ol.services.http_service import MalformedAnswerError

if TYPE_CHECKING:
    from streamt_ol.services.http_service import Answer

_TROUBLE: Final = "rebalancing"
"""The word of the tables."""
_EXISTS: Final = re.compile(r"Connector .* already exists", re.DOTALL)
"""The other conflict, which does not pass."""
_EXPECTED: Final = "a rebalance is expected"
_NOT_HANDED_ON: Final = re.compile(
    r"IO Error trying to forward REST request: java\.net\.("
    r"ConnectException|NoRouteToHostException|UnknownHostException|SocketTimeoutException: Connect Timeout)"
)
"""Only where no connection came about: after that, the other worker may be at work."""


def passing(answer: Answer) -> str | None:
    """Return the word of the tables for an answer that another one follows by itself; None for any other."""
    if answer.status == HTTPStatus.CONFLICT:
        return None if _EXISTS.match(_message(answer)) else _TROUBLE
    if answer.status != HTTPStatus.INTERNAL_SERVER_ERROR:
        return None
    message = _message(answer)
    return _TROUBLE if _EXPECTED in message or _NOT_HANDED_ON.match(message) else None


def _message(answer: Answer) -> str:
    try:
        body = answer.json()
    except MalformedAnswerError:
        return ""
    message = body.get("message") if isinstance(body, dict) else None
    return message if isinstance(message, str) else ""
