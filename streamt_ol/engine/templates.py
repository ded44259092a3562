"""Text in rows: constants with `{fact}` placeholders, compiled to closures.

Three uses, three ways to insert a fact: `message` as it is, `pointer` as a JSON-pointer (a fact of type
pointer goes in whole, any other fact as one escaped token), `identity` percent-encoded but for letters,
digits and `-._~`, so that two different names never give one identity. There are no expressions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import attrgetter
from typing import Any
from urllib.parse import quote

from streamt_ol.engine.errors import TemplateError
from streamt_ol.ground.pointer import escape

Text = Callable[[Any], str]

_PLACEHOLDER = re.compile(r"\{([a-z][a-z_]*)\}")


def placeholders(template: str, *, location: str) -> list[str]:
    """Return the facts that a template names; a brace that is no placeholder is an error."""
    rest = _PLACEHOLDER.sub("", template)
    if "{" in rest or "}" in rest:
        raise TemplateError(f"a brace in {template!r} belongs to no {{fact}}", location=location)
    return _PLACEHOLDER.findall(template)


def segment(text: object) -> str:
    """Return a text as one segment of an identity (section 6 of the project language)."""
    return quote(str(text), safe="-._~")


def _as_token(text: object) -> str:
    return escape(str(text))


_ENCODERS: dict[str, Callable[[object], str]] = {"message": str, "pointer": _as_token, "identity": segment}


def compile_text(template: str, use: str, pointers: frozenset[str]) -> Text:
    """Return the closure that fills a template from a record; `pointers` are the facts inserted whole."""
    pieces = _PLACEHOLDER.split(template)
    constants, names = pieces[::2], pieces[1::2]
    encoders = [str if name in pointers and use != "identity" else _ENCODERS[use] for name in names]
    getters = [attrgetter(name) for name in names]
    head, tails = constants[0], constants[1:]
    parts = list(zip(getters, encoders, tails, strict=True))

    def fill(record: Any) -> str:
        return head + "".join(encoder(get(record)) + tail for get, encoder, tail in parts)

    return fill
