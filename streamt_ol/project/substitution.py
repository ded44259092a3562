"""Environment variables inside `runtime` (section 2 of the language); nowhere else is anything replaced."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from streamt_ol.ground.pointer import pointer
from streamt_ol.project.errors import VariablesUnsetError

if TYPE_CHECKING:
    from collections.abc import Mapping

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


def resolved(content: Mapping[str, Any], variables: Mapping[str, str]) -> dict[str, Any]:
    """Return the content with `${NAME}` and `${NAME:-default}` replaced once in each string under `runtime`.

    A variable that is set to the empty string counts as set. Keys, and text of any other form, stay.
    Raises `VariablesUnsetError` that names every missing variable, at the first place that needs one.
    """
    missing: dict[str, str] = {}

    def replaced(value: Any, path: tuple[str | int, ...]) -> Any:
        if isinstance(value, str):

            def value_of(match: re.Match[str]) -> str:
                name, default = match.groups()
                if name not in variables and default is None:
                    missing.setdefault(name, pointer(*path))
                return variables.get(name, default or "")

            return _VARIABLE.sub(value_of, value)
        if isinstance(value, dict):
            return {key: replaced(part, (*path, key)) for key, part in value.items()}
        if isinstance(value, list):
            return [replaced(part, (*path, index)) for index, part in enumerate(value)]
        return value

    result = {key: replaced(value, (key,)) if key == "runtime" else value for key, value in content.items()}
    if missing:
        raise VariablesUnsetError(
            f"environment variables are not set: {', '.join(sorted(missing))}",
            location=next(iter(missing.values())),
            suggestion="set them, or write a default: ${NAME:-default}",
        )
    return result
