"""What JSON Schema found, as a user may see it: where it is and what is demanded, never the value there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jsonschema.exceptions import ValidationError


def causes(problem: ValidationError) -> Iterator[ValidationError]:
    """Yield the problems inside the branches of `anyOf` and `oneOf`, or the problem itself."""
    if not problem.context:
        yield problem
    for inner in problem.context or ():
        yield from causes(inner)


def deepest(problems: Iterable[ValidationError]) -> ValidationError:
    """Return the cause that lies deepest in the instance: it is the most exact.

    There must be at least one problem. Of equally deep ones it is the first path in order: the order in which
    a validator walks keys may differ from run to run.
    """
    found = (cause for problem in problems for cause in causes(problem))
    return min(
        found, key=lambda cause: (-len(cause.absolute_path), [str(key) for key in cause.absolute_path])
    )


def demand(problem: ValidationError) -> str:
    """Return what the schema demands at the problem's place: keys and the schema's own values only."""
    keyword: Any = problem.validator
    wanted: Any = problem.validator_value
    if keyword == "json":
        return problem.message
    if keyword == "required":
        instance: Any = problem.instance
        missing = [name for name in wanted if name not in instance]
        return f"lacks {', '.join(map(repr, missing))}"
    if keyword is None or wanted == {}:  # the schema `false`, or `{"not": {}}`
        return "is not permitted here"
    return f"does not satisfy {keyword} {orjson.dumps(wanted).decode()}"
