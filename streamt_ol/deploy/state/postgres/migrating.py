"""How the tables of a state store are made, version by version.

The files of the folder `migrations` are never changed once they are released: each is known by the checksum
of its text, and a store that was made with another text is not used. Source: section 3.3 of the runtime
facts.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from streamt_ol.deploy.canonical import checksum_of_bytes

TABLES: Final = (
    "store_metadata",
    "schema_migrations",
    "state_addresses",
    "current_state",
    "operation_control",
    "state_history",
    "operation_history",
)
_HERE: Final = "(namespace, project, environment) = (%(namespace)s, %(project)s, %(environment)s)"
"""The rows of one address."""
_FOLDER: Final = Path(__file__).with_name("migrations")
_FILES: Final = ("1_tables.sql", "2_writer.sql")
OWNER_WRITES: Final = 1
"""Version of a store in which whoever owns the tables writes operations."""
WRITER_WRITES: Final = 2
"""Version of a store in which a role of its own does."""


class Migration(NamedTuple):
    """The step to a version."""

    version: int
    name: str
    checksum: str
    text: str


@cache
def migrations() -> tuple[Migration, ...]:
    """Return every step in its order."""
    steps = []
    for version, name in enumerate(_FILES, 1):
        data = (_FOLDER / name).read_bytes()
        steps.append(Migration(version, name.removesuffix(".sql"), checksum_of_bytes(data), data.decode()))
    return tuple(steps)


def within(schema: str, query: str, **names: str) -> str:
    """Return a query with the schema, the address and other names of the database in their places."""
    return query.format(schema=identifier(schema), here=_HERE, **names)


def identifier(name: str) -> str:
    """Return a name as SQL has it, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text as SQL has it; whatever the server's settings are."""
    return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
