"""What Kafka Connect says about failures, made fit to be shown.

It quotes whatever it was given: values that are wrong, whole configurations, and every plugin that it has.
What a configuration holds is no word of a message, whether it looks like a secret or not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamt_ol.deploy.records import Surface

_PUBLIC: Final = ("connector.class", "name", "topics")
"""Keys whose values are shown: compile decides them, and most of what Connect says is about them."""
_OF_CLASSES: Final = re.compile(r"(?:key|value|header)\.converter|(?:transforms|predicates)\.[^.]+\.type")
"""Keys of Kafka Connect itself whose values are names of classes."""
_CLASS: Final = re.compile(r"[A-Za-z_][\w$]*(?:\.[A-Za-z_][\w$]*)+")
_PLAIN: Final = frozenset({"true", "false", "null", "none"})
_SHORTEST: Final = 4
"""Shorter values would take the words out of sentences, and are no secrets."""
_BOUNDARY: Final = re.compile(r"[\n,;&?]")
_VALUE: Final = re.compile(r"^(Invalid value) .* (for configuration )", re.MULTILINE)
_CONFIG: Final = re.compile(r"\{.*\}", re.DOTALL)
_PLUGINS: Final = ", available connectors are"
_ENDPOINT: Final = "You can also find the above list of errors"
_CAUSE: Final = "Caused by: "
_EXCEPTION: Final = re.compile(r"\A(?:[a-z]\w*\.)+[A-Z]\w*(?:Exception|Error): ")
"""What a worker puts before a reason that it gives again: the same question has the plain one at first."""


def hidden_values(*surfaces: Surface | None) -> tuple[str, ...]:
    """Return what no message about connectors of these surfaces may hold: their values, and parts of them."""
    configs = [surface["config"] for surface in surfaces if surface is not None]
    shown = {
        part
        for config in configs
        for key, value in config.items()
        if _is_public(key, value)
        for part in _parts(str(value))
    }
    hidden = {part for config in configs for part in _values(config)}
    return tuple(sorted(part for part in hidden - shown - _PLAIN if len(part) >= _SHORTEST))


def said(body: Any) -> str | None:
    """Return the reason of an answer of Connect; None where it gives none."""
    message = body.get("message") if isinstance(body, dict) else None
    return shortened(_EXCEPTION.sub("", message)) if isinstance(message, str) else None


def shortened(message: str) -> str:
    """Return a message of Connect without the values, configurations and plugins that it quotes."""
    message = message.partition(_ENDPOINT)[0].partition(_PLUGINS)[0]
    return _CONFIG.sub("{...}", _VALUE.sub(r"\1 \2", message)).strip()


def first_and_cause(trace: str) -> str:
    """Return what a Java stack trace begins with, and the last cause that it names."""
    lines = trace.strip().splitlines() or [""]
    first = lines[0].strip()
    causes = [line.strip() for line in lines[1:] if line.startswith(_CAUSE)]
    last = causes[-1].removeprefix(_CAUSE) if causes else ""
    return shortened(f"{first}; caused by {last}" if last and last not in first else first)


def _values(config: Mapping[str, Any]) -> Iterator[str]:
    for key, value in config.items():
        if not _is_public(key, value):
            yield from _parts(str(value))


def _is_public(key: str, value: Any) -> bool:
    """Return whether a value is shown: one of those keys, or the name of a class where one belongs."""
    return key in _PUBLIC or (
        _OF_CLASSES.fullmatch(key) is not None and _CLASS.fullmatch(str(value)) is not None
    )


def _parts(text: str) -> Iterator[str]:
    """Yield a text, and what it consists of if it is a list, several lines, or an address with a query."""
    yield text
    yield from (part.strip() for part in _BOUNDARY.split(text))
