"""Values as a plan may show and keep them: whatever may be a secret is a mark, and stays one for every value.

Source: section 1.7 of the runtime facts.
"""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING, Any

from streamt_ol.deploy.canonical import checksum
from streamt_ol.deploy.planning.errors import PlanFileError
from streamt_ol.ground.redaction import redact

if TYPE_CHECKING:
    from streamt_ol.deploy.records import Surface

MARK = "***"
_SECRET_KEY = re.compile(
    r"pass(?:word|wd|phrase)|secret|token|(?:api|access|private)[ ._-]?key|authorization|credential"
    r"|basic[._-]auth[._-]user[._-]info|sasl[._-]jaas[._-]config",
    re.IGNORECASE,
)


def surface_checksum(surface: Surface | None) -> str | None:
    """Return the checksum by which what is there is known again; None for nothing.

    It is one of values without their secrets: nobody can try passwords against it.
    """
    return None if surface is None else checksum(redacted(surface))


def redacted(value: Any, key: str = "") -> Any:
    """Return plain values without their secrets: those under a key that names one, and those in texts.

    What is not there (None) is no secret. Raises PlanFileError for what is no JSON value.
    """
    if value is not None and _SECRET_KEY.search(key):
        return MARK
    if isinstance(value, dict):
        if not all(isinstance(name, str) for name in value):
            raise PlanFileError("a plan holds no key that is no text")
        return {name: redacted(part, name) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [redacted(part) for part in value]
    if isinstance(value, str):
        return redact(value)
    if value is None or isinstance(value, (bool, int)) or (isinstance(value, float) and isfinite(value)):
        return value
    raise PlanFileError("a plan holds no value that JSON does not have")
