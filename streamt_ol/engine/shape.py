"""Whether a file follows the table language, `schemas/tables/tables.schema.json`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

import orjson

from streamt_ol.engine.errors import TableShapeError
from streamt_ol.ground.json_schema import Checker
from streamt_ol.ground.pointer import pointer
from streamt_ol.ground.resources import schemas_folder

if TYPE_CHECKING:
    from collections.abc import Iterator


@cache
def _checker() -> Checker:
    return Checker(orjson.loads((schemas_folder() / "tables" / "tables.schema.json").read_bytes()))


def misshapen(document: object) -> Iterator[TableShapeError]:
    """Yield where a document does not follow the table language; nothing where it does."""
    checker = _checker()
    if isinstance(document, Mapping) and checker.accepts(document):
        return
    for problem in checker.problems(document):
        deepest = max(problem.context or [problem], key=lambda cause: len(cause.absolute_path))
        yield TableShapeError(
            f"not the table language: {deepest.message}", location=pointer(*deepest.absolute_path)
        )
