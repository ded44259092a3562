"""What the values of messages say: JSON objects, plain or in the framing of a Schema Registry.

No message of an error holds anything of a value: partition and offset say where to look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from streamt_ol.checks.registry import Registry
from streamt_ol.checks.sampling_errors import (
    REGISTRY,
    RegistryAnswerError,
    SchemaNotSupportedError,
    ValueUnreadableError,
)
from streamt_ol.checks.sampling_facts import ValueSchema
from streamt_ol.ground.json_text import read_json
from streamt_ol.services.errors import refuse_missing_extra

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamt_ol.checks.avro_values import AvroReader
    from streamt_ol.checks.registry import RegisteredSchema
    from streamt_ol.checks.shares import Record
    from streamt_ol.engine.ruleset import RuleSet
    from streamt_ol.services.deadlines import Deadline

_MAGIC = b"\0"
"""The first byte of a framed value; no JSON begins with it."""
_FRAME = 5
"""The magic byte, and the number of the schema in four bytes."""


class UnreadableReason(Exception):  # noqa: N818 - part of an error, which says where as well
    """Why a value cannot be read, as the end of a sentence about it."""


class Values:
    """Reads values; schemas are asked for once."""

    def __init__(self, runtime: Mapping[str, Any], rules: RuleSet) -> None:
        settings = runtime.get("schema_registry")
        self._registry = None if settings is None else Registry(settings, rules)
        self._table = rules.table("value-schemas")
        self._types = frozenset(self._table.inputs["type"])
        self._avro: dict[int, AvroReader] = {}

    def read(self, topic: str, record: Record, deadline: Deadline) -> Mapping[str, Any]:
        """Return a value as a JSON object.

        Raises ValueUnreadableError, RegistryError, or DeadlinePassedError.
        """
        deadline.left()
        try:
            value = self._framed(record, deadline) if record.value[:1] == _MAGIC else _json(record.value)
            if not isinstance(value, dict):
                _refuse("is no object")
        except UnreadableReason as reason:
            raise ValueUnreadableError(f"{_where(topic, record)} {reason}") from None
        except SchemaNotSupportedError as error:
            raise SchemaNotSupportedError(f"{_where(topic, record)}: {error.message}") from None
        return value

    def _framed(self, record: Record, deadline: Deadline) -> Any:
        if self._registry is None:
            _refuse("is no JSON; it may be framed, and runtime.schema_registry is not configured")
        if len(record.value) < _FRAME:
            _refuse("is no JSON, and as a framed value it ends within the number of its schema")
        number = int.from_bytes(record.value[1:_FRAME], "big")
        schema = self._registry.schema(number, deadline)
        facts = ValueSchema(REGISTRY, schema.type if schema.type in self._types else "other", str(number))
        decision = self._table.decide(facts)
        payload = record.value[_FRAME:]
        if decision["reading"] == "json":
            return _json(payload)
        if decision["reading"] == "avro":
            try:
                return self._avro_reader(number, schema, deadline).read(payload)
            except ValueError:
                _refuse(f"does not fit schema {number}")
        raise SchemaNotSupportedError(decision["message"](facts))

    def _avro_reader(self, number: int, schema: RegisteredSchema, deadline: Deadline) -> AvroReader:
        if number not in self._avro:
            try:
                from streamt_ol.checks.avro_values import AvroReader
            except ImportError as error:
                refuse_missing_extra(error.name or "fastavro", "sample tests")
            assert self._registry is not None  # noqa: S101 - the schema is from there
            texts = self._registry.family(schema, deadline)
            try:
                self._avro[number] = AvroReader(texts)
            except ValueError:
                raise RegistryAnswerError(
                    f"what the registry tells as schema {number} is no Avro schema", location=REGISTRY
                ) from None
        return self._avro[number]


def _json(value: bytes) -> Any:
    """Return JSON; whole numbers keep all their digits."""
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError as error:
        _refuse(f"is not UTF-8 at byte {error.start}")
    try:
        return read_json(text, as_object=None)
    except RecursionError:
        _refuse("is nested too deeply")
    except ValueError:
        _refuse("is no JSON")


def _refuse(reason: str) -> NoReturn:
    raise UnreadableReason(reason)


def _where(topic: str, record: Record) -> str:
    return f"the value at partition {record.partition}, offset {record.offset} of topic '{topic}'"
