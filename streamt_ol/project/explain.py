"""Schema violations as errors that a user can act on.

The schema carries the words: `errorMessage` says what a value must be, as the end of a sentence that begins
with the key, and `x-suggestion` what to write instead. What has neither gets both from the keyword violated.
Strings are never shown, and nothing is shown from the places where secrets stand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

from streamt_ol.ground.pointer import pointer
from streamt_ol.project.errors import (
    MissingKeyError,
    NotOneOfError,
    UnknownKeyError,
    ValueRefusedError,
    WrongTypeError,
)
from streamt_ol.project.readings import alternatives, reading, wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from jsonschema.exceptions import ValidationError

    from streamt_ol.ground.errors import StreamtError

Path = tuple[str | int, ...]
Written: TypeAlias = "Callable[[str, object], str | None]"

SECRET_KEYS = frozenset({"runtime", "connections", "deployment_state", "config"})
"""Keys under which no value is shown, at any depth."""
_LONGEST_KEY = 60
_NEAR_KEY, _NEAR_WORD = 0.7, 0.6
"""How alike a key, or another word, must be to be suggested, from 0 to 1."""
_TEXT = ("string", ["string", "null"])


def explained(problem: ValidationError, prefix: Path, written: Written) -> Iterator[StreamtError]:
    """Yield the errors of one violation; `prefix` is the path of the checked part in the project.

    `written` gives the text at a pointer that YAML read as a value, as it stands in the file.
    """
    path = (*prefix, *problem.absolute_path)
    schema = problem.schema if isinstance(problem.schema, dict) else {}
    by_keyword = {
        "required": _missing_keys,
        "additionalProperties": _unknown_keys,
        "not": _refused,
        "type": _wrong_type,
        "json": _no_data,
        "enum": _not_one_of,
        "const": _not_one_of,
    }
    explain = by_keyword.get(str(problem.validator), _refused)
    yield from explain(problem, path, schema, written)


def label(path: Path) -> str:
    """Return how messages name a place: its key, or its key and index in a list."""
    if not path:
        return "the file"
    last = path[-1]
    if isinstance(last, str):
        return f"`{shown_key(last)}`"
    parent = label(path[:-1]).strip("`")
    return f"`{parent}[{last}]`"


def shown_key(key: str) -> str:
    """Return a key printable and of bearable length."""
    text = repr(key)[1:-1]
    return text if len(text) <= _LONGEST_KEY else f"{text[:_LONGEST_KEY]}..."


def _missing_keys(
    problem: ValidationError, path: Path, schema: Mapping[str, Any], _: object
) -> Iterator[StreamtError]:
    present = cast("Mapping[str, Any]", problem.instance)
    for key in schema["required"]:
        if key not in present:
            yield MissingKeyError(
                f"{label(path)} lacks the key `{key}`",
                location=pointer(*path, key),
                suggestion=schema.get("x-suggestion"),
            )


def _unknown_keys(
    problem: ValidationError, path: Path, schema: Mapping[str, Any], _: object
) -> Iterator[StreamtError]:
    properties = schema.get("properties", {})
    present = cast("Mapping[str, Any]", problem.instance)
    offered = [
        key
        for key, part in properties.items()
        if key not in present and not (isinstance(part, dict) and "doNotSuggest" in part)
    ]
    for key in present:
        if key not in properties:
            near = _near(key, offered, _NEAR_KEY)
            meant = f"did you mean `{near[0]}`?" if near else None
            yield UnknownKeyError(
                f"{label(path)} has no key `{shown_key(key)}`",
                location=pointer(*path, key),
                suggestion=schema.get("x-suggestion") or meant,
            )


def _refused(
    problem: ValidationError, path: Path, schema: Mapping[str, Any], _: object
) -> Iterator[StreamtError]:
    gone = problem.validator == "not" and problem.validator_value == {}
    yield (UnknownKeyError if gone else ValueRefusedError)(
        f"{label(path)} {schema.get('errorMessage', 'is not permitted here')}",
        location=pointer(*path),
        suggestion=schema.get("x-suggestion"),
    )


def _not_one_of(
    problem: ValidationError, path: Path, schema: Mapping[str, Any], _: object
) -> Iterator[StreamtError]:
    words = [word for word in schema.get("enum", [schema.get("const")]) if word is not None]
    value = problem.instance
    near = _near(value.lower(), words, _NEAR_WORD) if isinstance(value, str) else []
    meant = f"did you mean `{near[0]}`?" if near else None
    yield NotOneOfError(
        f"{label(path)} {schema.get('errorMessage') or f'must be {alternatives(words)}'}",
        location=pointer(*path),
        suggestion=schema.get("x-suggestion") or meant,
    )


def _wrong_type(
    problem: ValidationError, path: Path, schema: Mapping[str, Any], written: Written
) -> Iterator[StreamtError]:
    value = problem.instance
    types = schema["type"]
    is_scalar = not isinstance(value, (str, list, dict))
    secret = not SECRET_KEYS.isdisjoint(path)
    text = written(pointer(*path), value) if is_scalar and not secret else None
    read = reading(value, secret=secret)
    own_words = None if types in _TEXT else schema.get("errorMessage")  # of text they say its form
    must = own_words or f"must be {wanted(types)}"
    quotable = types in _TEXT and is_scalar
    yield WrongTypeError(
        f"{label(path)} {must}, but YAML read {f'`{text}` as ' if text else ''}{read}",
        location=pointer(*path),
        suggestion=schema.get("x-suggestion") or ("quote it" if quotable else None),
    )


def _near(text: str, known: list[str], alike: float) -> list[str]:
    from difflib import get_close_matches  # only what is wrong has a neighbour

    return get_close_matches(text, known, n=1, cutoff=alike)


def _no_data(problem: ValidationError, path: Path, _: object, __: object) -> Iterator[StreamtError]:
    yield WrongTypeError(f"{label(path)} {problem.message}", location=pointer(*path))
