"""Dotenv files (section 2, D7): read as python-dotenv reads them, into values that are returned.

The process environment is only read. It wins over every file, also inside `${NAME}` of a value, and the
environment's own file wins over `.env`.
"""

from __future__ import annotations

from collections import ChainMap
from typing import TYPE_CHECKING

from streamt_ol.ground.errors import Place
from streamt_ol.project.errors import FileUnreadableError
from streamt_ol.project.files import names_in, read

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

LARGEST = 1024 * 1024
"""Greatest size of a dotenv file in bytes."""


def read_dotenv(
    directory: Path, name: str, earlier: Mapping[str, str], process_environment: Mapping[str, str]
) -> dict[str, str]:
    """Return the values of one dotenv file of the project, those of `earlier` files included.

    A file that does not exist has none. `${NAME}` looks at the process environment, then at the lines above,
    then at `earlier`. Raises `FileUnreadableError`.
    """
    values = dict(earlier)
    if name not in names_in(directory, directory):
        return values
    # Imported for a file that is there: most projects have none, and the import takes a tenth of a start.
    import logging
    from io import StringIO

    from dotenv.parser import parse_stream
    from dotenv.variables import parse_variables

    logger = logging.getLogger(__name__)
    path = directory / name
    known = ChainMap(dict(process_environment), values)
    for binding in parse_stream(StringIO(_text(read(path, directory, "dotenv", limit=LARGEST), name))):
        if binding.error:
            logger.info("%s:%d is not read: it is no assignment", name, binding.original.line)
        if binding.key is None or binding.value is None:  # a comment, or a name without `=`
            continue
        values[binding.key] = "".join(atom.resolve(known) for atom in parse_variables(binding.value))
    return values


def _text(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileUnreadableError(
            f"{name} is not UTF-8: byte {error.start} cannot be read",
            location="dotenv",
            place=Place(name, line),
        ) from None
