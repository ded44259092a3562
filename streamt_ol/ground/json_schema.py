"""JSON Schema (Draft 2020-12) over a closed set of documents.

jsonschema-rs gives the verdict, fast; jsonschema explains a refusal with a path. Both see the same documents
and the same format functions, and nothing is ever retrieved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import jsonschema_rs

from streamt_ol.ground.errors import StreamtError
from streamt_ol.ground.json_data import foreign, is_json
from streamt_ol.ground.json_formats import FORMATS, assert_formats_checked

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

Schema = Mapping[str, Any]

ONE_SCHEMA = frozenset(
    {"additionalProperties", "items", "propertyNames", "unevaluatedItems", "unevaluatedProperties"}
    | {"contains", "contentSchema", "else", "if", "not", "then"}
)
"""Keywords whose value is a schema."""
LISTED_SCHEMAS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
"""Keywords whose value is a list of schemas."""
NAMED_SCHEMAS = frozenset({"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"})
"""Keywords whose value maps names, which are no keywords, to schemas."""


class SchemaUnusableError(StreamtError):
    """A schema that is none, refers to a document outside its closed set, or names an unknown format."""

    code: ClassVar[str] = "E590_INTERNAL"


class ValidatorsDisagreeError(StreamtError):
    """An instance is refused although no problem is found in it; it stays refused."""

    code: ClassVar[str] = "E590_INTERNAL"


def rewritten(schema: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """Return the schema with `change` applied to every schema in it, innermost first.

    Names under `properties` and the like are kept, and so are the values of `const`, `enum`, `default` and of
    keywords that hold no schema. `true` and `false` are schemas without keywords: nothing changes them.
    """

    def value_of(keyword: str, value: Any) -> Any:
        if keyword in ONE_SCHEMA:
            return rewritten(value, change)
        if keyword in LISTED_SCHEMAS:
            return [rewritten(part, change) for part in value]
        if keyword in NAMED_SCHEMAS:
            return {name: rewritten(part, change) for name, part in value.items()}
        return value

    if isinstance(schema, bool):
        return schema
    return change({keyword: value_of(keyword, value) for keyword, value in schema.items()})


class Checker:
    """Checks JSON data against one schema, which may refer to exactly the given documents, named by URI.

    The validators are built when first needed; an unusable schema raises `SchemaUnusableError` then.
    Raises `FormatsUncheckedError` where an installed validator ignores formats.
    """

    def __init__(self, schema: Schema, documents: Mapping[str, Schema] = MappingProxyType({})) -> None:
        _assert_fast_formats()
        self._schema = dict(schema)
        self._documents = {uri: dict(document) for uri, document in documents.items()}

    def accepts(self, instance: Any) -> bool:
        """Return whether the instance is valid JSON data: what is no JSON data at all is never accepted."""
        return is_json(instance) and self._fast.is_valid(instance)

    def problems(self, instance: Any) -> Iterator[ValidationError]:
        """Yield what is wrong; a value that is no JSON data is a problem of the keyword `json`.

        The messages of the problems quote values: `json_problems` says the same without them.
        Raises `ValidatorsDisagreeError` where nothing is found although `accepts` refuses the instance.
        """
        found = False
        for problem in self._found(instance):
            found = True
            yield problem
        if not found and not self.accepts(instance):
            raise ValidatorsDisagreeError("the validators disagree about a value; it is refused")

    def _found(self, instance: Any) -> Iterator[ValidationError]:
        from jsonschema.exceptions import ValidationError  # here for start-up time: only refusals need it

        strange = {part.path: part for part in foreign(instance)}
        if all(part.walkable for part in strange.values()):
            try:
                for problem in self._reference.iter_errors(instance):
                    # a date where text should be is one problem, not two
                    strange.pop(tuple(problem.absolute_path), None)
                    yield problem
            except RecursionError:
                yield ValidationError("is nested too deep to be explained", validator="json")
        for part in strange.values():
            yield ValidationError(part.reason, validator="json", path=part.path)

    @cached_property
    def _fast(self) -> jsonschema_rs.Draft202012Validator:
        try:
            validator = _fast_validator(self._schema, self._documents)
        except ValueError as error:
            cause = str(error).partition("\n")[0]
            raise SchemaUnusableError(f"the schema cannot be used: {cause}", location="schema") from error
        for schema in (self._schema, *self._documents.values()):
            _refuse_unknown_formats(schema)
        return validator

    @cached_property
    def _reference(self) -> Validator:
        _ = self._fast  # which refuses an unusable schema
        return _reference_validator(self._schema, self._documents)


def _refuse_unknown_formats(schema: Any) -> None:
    """Refuse a format that is not in FORMATS; a walk like that of `rewritten`, which copies nothing."""
    rest = [schema]
    while rest:
        part = rest.pop()
        if isinstance(part, bool):
            continue
        name = part.get("format")
        if name is not None and name not in FORMATS:
            known = ", ".join(FORMATS)
            raise SchemaUnusableError(f"format {name!r} is not checked here, only {known}", location="schema")
        for keyword, value in part.items():
            if keyword in ONE_SCHEMA:
                rest.append(value)
            elif keyword in LISTED_SCHEMAS:
                rest.extend(value)
            elif keyword in NAMED_SCHEMAS:
                rest.extend(value.values())


def _refuse(uri: str) -> NoReturn:
    raise LookupError(f"{uri} is not among the given documents, and nothing is retrieved")


def _fast_validator(schema: Schema, documents: Mapping[str, Schema]) -> jsonschema_rs.Draft202012Validator:
    registry = jsonschema_rs.Registry(
        [(uri, dict(document)) for uri, document in documents.items()],
        draft=jsonschema_rs.Draft202012,
        retriever=_refuse,
    )
    return jsonschema_rs.Draft202012Validator(
        dict(schema), formats=dict(FORMATS), validate_formats=True, registry=registry, retriever=_refuse
    )


@lru_cache(maxsize=1)
def _assert_fast_formats() -> None:
    validators = {name: _fast_validator({"format": name}, {}) for name in FORMATS}
    assert_formats_checked(lambda name, text: validators[name].is_valid(text))


def _reference_validator(schema: Schema, documents: Mapping[str, Schema]) -> Validator:
    import jsonschema  # here for start-up time: only refusals need it
    import referencing
    from referencing.jsonschema import DRAFT202012

    formats = jsonschema.FormatChecker(formats=())
    for name, is_of_format in FORMATS.items():
        formats.checks(name)(_strings_only(is_of_format))
    assert_formats_checked(lambda name, text: formats.conforms(text, name))
    draft = jsonschema.Draft202012Validator
    is_array = draft.TYPE_CHECKER.redefine("array", lambda _, value: isinstance(value, (list, tuple)))
    registry: referencing.Registry[bool | Schema] = referencing.Registry(retrieve=_refuse)  # type: ignore[call-arg]
    registry = registry.with_resources(
        (uri, DRAFT202012.create_resource(document)) for uri, document in documents.items()
    )
    validator: type[Validator] = jsonschema.validators.extend(draft, type_checker=is_array)  # type: ignore[no-untyped-call]
    return validator(schema, registry=registry, format_checker=formats)


def _strings_only(is_of_format: Callable[[str], bool]) -> Callable[[object], bool]:
    return lambda value: not isinstance(value, str) or is_of_format(value)
