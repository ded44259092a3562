"""Ids of resources: `streamt://PROJECT/ENVIRONMENT/KIND/LOGICAL`, the same wherever a resource is called.

Source: section 1.1 of the runtime facts.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from streamt_ol.deploy.planning.errors import ResourceIdentityError

SCHEME = "streamt://"
_ENVIRONMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*")


class Identity(NamedTuple):
    """The parts of a resource id; none is empty or holds a slash."""

    project: str
    environment: str
    kind: str
    logical_name: str

    def __str__(self) -> str:
        """Return the resource id."""
        return f"{SCHEME}{'/'.join(self)}"


def identity(
    project: str, environment: str, kind: str, logical_name: str, *, at: str | None = None
) -> Identity:
    """Return the identity of a resource that is declared at `at`.

    Raises ResourceIdentityError for a part that is empty or holds a slash, and for an environment that is not
    letters, digits and dashes.
    """
    made = Identity(project, environment, kind, logical_name)
    for part, name in zip(Identity._fields, made, strict=True):
        if not name or "/" in name:
            raise ResourceIdentityError(
                f"the {part.replace('_', ' ')} '{name}' of a resource is empty or holds a slash", location=at
            )
    if not _ENVIRONMENT.fullmatch(environment):
        raise ResourceIdentityError(
            f"the environment '{environment}' has other characters than letters, digits and dashes",
            location=at,
        )
    return made


def parse_identity(resource_id: str) -> Identity:
    """Return the parts of a resource id; raises ResourceIdentityError for a text that is none."""
    parts = resource_id.removeprefix(SCHEME).split("/")
    if not resource_id.startswith(SCHEME) or len(parts) != len(Identity._fields):
        raise ResourceIdentityError(
            f"'{resource_id}' is no resource id: {SCHEME}PROJECT/ENVIRONMENT/KIND/NAME"
        )
    return identity(*parts)
