"""Flink's own words about a failure: the root cause in a stack trace, in one or a few lines.

Both of its REST interfaces answer with `{"errors": [...]}`, of which one is a trace of up to 20 KB. What
helps is the last `Caused by:`, with the place in the statement that the one before has. The list of all that
a parser would have taken is left out, and so is every certificate and key: Flink quotes options of tables,
and masks passwords among them, not keys.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_CAUSE: Final = "Caused by: "
_FRAME: Final = re.compile(r"\s+at |\t\.\.\. \d+ more|\s*$|End of exception on server side")
_REMOTE: Final = re.compile(r"^.*<Exception on server side:$")
"""The line before the words of another server that was asked in turn."""
_EXPECTED: Final = "Was expecting"
_PEM: Final = re.compile(r"-----BEGIN [A-Z ]+-----.*?(?:-----END [A-Z ]+-----|\Z)", re.DOTALL)
_CLASS: Final = re.compile(r"^(?:[\w$]+\.)+(?P<name>[\w$]+)(?P<rest>: |$)")
_LINES: Final = 6
"""How many lines of a message are of use: `Cause:`, and the two schemas that do not agree."""
_GAP: Final = re.compile(r"\n\s*\n(?=Query schema: )")
"""Before the two schemas, where other messages end and a plan follows."""
_PLACE: Final = re.compile(r"From (line \d+, column \d+) to line \d+, column \d+: ")
"""Before the message of an exception whose cause is the same message without it."""


def told_by_flink(body: Any) -> str | None:
    """Return the root cause of the answer of a failed request; None for an answer that has none."""
    errors = body.get("errors") if isinstance(body, dict) else None
    texts = [text for text in errors if isinstance(text, str)] if isinstance(errors, list) else []
    return root_cause(texts[-1]) if texts else None


def root_cause(trace: str) -> str | None:
    """Return the innermost cause of a stack trace: `ValidationException: Cannot find table ...`."""
    lines = _GAP.sub("\n", _PEM.sub("***", trace)).splitlines()
    starts = [index for index, line in enumerate(lines) if line.startswith(_CAUSE)]
    message = _message(lines[starts[-1] if starts else 0 :])
    place = _PLACE.search(lines[starts[-2]]) if len(starts) > 1 else None
    if message and place is not None and message.endswith(lines[starts[-2]][place.end() :]):
        message = f"{message} ({place[1]})"
    return message or None


def _message(lines: Sequence[str]) -> str:
    """Return the message that begins with the first line, without what comes with it."""
    kept: list[str] = []
    for line in lines:
        text = line.removeprefix(_CAUSE)
        if _REMOTE.match(text):
            kept = []
            continue
        if _FRAME.match(text) or text.startswith(_EXPECTED) or len(kept) == _LINES:
            if kept:
                break
            continue
        kept.append(text if kept else _named(text))
    return " ".join(kept)


def _named(text: str) -> str:
    """Return a line with the name of its exception alone, without its package, of however many it names."""
    name = ""
    while (found := _CLASS.match(text)) is not None:
        name, text = found["name"], text[found.end() :]
    if name and text:
        return f"{name}: {text}"
    return name or text
