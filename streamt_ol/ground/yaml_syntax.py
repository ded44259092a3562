"""What is said about text that is not YAML, in one wording for both parsers."""

from __future__ import annotations

from typing import Any

import yaml

from streamt_ol.ground.errors import Place
from streamt_ol.ground.yaml_errors import InvalidEscapeError, NestingError, YamlSyntaxError, place_of
from streamt_ol.ground.yaml_events import MAX_DEPTH, InvalidEscapeMarkError, check_structure, pure

_REMEDIES = (
    ("found character '\\t'", "Indent with spaces: YAML takes tabs only inside scalars."),
    ("found character", "Quote text that begins with this character."),
    ("mapping values are not allowed here", "Quote text that holds `: `, and check the indentation."),
    ("could not find expected ':'", "End the key with `:`, and indent what belongs to the text above."),
    ("found unknown escape character", "Double the backslash, or use single quotes."),
    ("found unexpected end of stream", "Close the quotes."),
    ("expected <block end>", "Align the entry with its neighbours, and quote text that begins with a quote."),
    (
        "expected ',' or",
        "Close the bracket, and quote text with `,`, `:`, `?` or brackets inside `[]` and `{}`.",
    ),
    ("sequence entries are not allowed here", "Put the `-` on a line of its own, below the key."),
    ("expected alphabetic or numeric character", "Quote text that begins with `*`, `&` or `%`."),
)


def syntax_error(error: yaml.MarkedYAMLError, file: str) -> YamlSyntaxError:
    """Return the refusal for an error of the pure parser."""
    where = place_of(error.problem_mark, file) if error.problem_mark else Place(file)
    if isinstance(error, InvalidEscapeMarkError):
        return InvalidEscapeError(
            "The double-quoted text has an escape that is no character: half of a surrogate pair,"
            " or beyond U+10FFFF.",
            place=where,
            suggestion="Write the character itself, or one `\\U` escape with its code point.",
        )
    # PyYAML ends the text with a NUL of its own.
    problem = str(error.problem).replace("'\\x00'", "the end of the file")
    remedy = next((remedy for start, remedy in _REMEDIES if problem.startswith(start)), None)
    context = f", {error.context}" if error.context else ""
    return YamlSyntaxError(f"The file is not YAML{context}: {problem}.", place=where, suggestion=remedy)


def nesting_error(mark: Any, file: str) -> NestingError:
    """Return the refusal of a collection that is written too deep."""
    return NestingError(
        f"Collections are nested more than {MAX_DEPTH} deep.",
        place=place_of(mark, file),
        suggestion="Flatten the file.",
    )


def check(text: str, file: str) -> None:
    """Raise the YamlSyntaxError or NestingError of the text, as the pure parser sees it, if it has one."""
    try:
        too_deep = check_structure(pure(text))
    except yaml.MarkedYAMLError as error:
        raise syntax_error(error, file) from None
    if too_deep is not None:
        raise nesting_error(too_deep, file)
