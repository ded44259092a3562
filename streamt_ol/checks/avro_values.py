"""Avro values as plain JSON values."""

from __future__ import annotations

import datetime as dt
import io
import json
from base64 import b64encode
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

import fastavro

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class AvroReader:
    """Reads values of one schema; raises ValueError where it is no schema of Avro."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Take the texts of a schema and of all that it builds on, each after what it builds on."""
        named: dict[str, Any] = {}
        try:
            for text in texts:
                self._schema = fastavro.parse_schema(json.loads(text), named_schemas=named)
        except Exception as error:  # noqa: BLE001 - whatever the library makes of it, the text is at fault
            raise ValueError(type(error).__name__) from None

    def read(self, payload: bytes) -> Any:
        """Return a value; raises ValueError where it does not fit the schema."""
        stream = io.BytesIO(payload)
        try:
            value = plain(fastavro.schemaless_reader(stream, self._schema, None))
        except Exception as error:  # noqa: BLE001 - for bytes that do not fit it has no error of its own
            raise ValueError(type(error).__name__) from None
        if stream.tell() != len(payload):
            raise ValueError("bytes are left over")
        return value


def plain(value: Any) -> Any:
    """Return a value without the types that JSON does not have.

    Times become texts of ISO 8601, decimals numbers, UUIDs texts, bytes texts in base64.
    """
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [plain(entry) for entry in value]
    convert = _PLAIN.get(type(value))
    return value if convert is None else convert(value)


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def _moment(value: dt.datetime) -> str:
    return value.isoformat().replace("+00:00", "Z")


def _base64(value: bytes) -> str:
    return b64encode(value).decode("ascii")


_PLAIN: Mapping[type, Callable[[Any], str | int | float]] = {
    Decimal: _number,
    dt.datetime: _moment,
    dt.date: dt.date.isoformat,
    dt.time: dt.time.isoformat,
    bytes: _base64,
    UUID: str,
}
