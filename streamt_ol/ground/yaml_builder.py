"""From parsing events to plain values, in one walk without nodes."""

from __future__ import annotations

from typing import Any

from yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
)

from streamt_ol.ground import pointer, yaml_scalars
from streamt_ol.ground.yaml_anchors import Anchors
from streamt_ol.ground.yaml_errors import (
    DuplicateKeyError,
    MergeError,
    NonStringKeyError,
    SeveralDocumentsError,
    UnknownTagError,
    UnusableScalarError,
    YamlError,
    place_of,
    refusal,
)
from streamt_ol.ground.yaml_events import MAX_DEPTH, GetEvent
from streamt_ol.ground.yaml_syntax import nesting_error

_LONGEST_SHOWN = 80
_MERGE = object()
Plain = dict[str, Any]
"""Plain scalars read so far, and their values: most texts of a project come again and again."""
_SIGNS = {"<<": _MERGE, "=": "="}
"""Plain keys with a reading of their own."""


class Builder:
    """Builds one document. Makes no mark and no path before something fails."""

    def __init__(self, get: GetEvent, file: str, characters: int, plain: Plain | None = None) -> None:
        self._get: Any = get
        self._file = file
        self._anchors = Anchors(file, characters)
        self._plain: Plain = {} if plain is None else plain

    def document(self) -> Any:
        """Return the value. Raises the YamlErrors of a document's meaning, and what `get` raises."""
        get = self._get
        get()  # the stream starts
        if type(get()) is StreamEndEvent:
            return None
        value = self._value(get(), 0)
        get()  # the document ends
        event = get()
        if type(event) is DocumentStartEvent:
            raise SeveralDocumentsError(
                "The file holds more than one document.",
                place=place_of(event.start_mark, self._file),
                suggestion="Keep one document in a file: remove the `---` between them.",
            )
        return value

    def _value(self, event: Any, depth: int) -> Any:
        """Return the value of the node that begins here, inside so many collections."""
        if event.anchor is None:
            return self._scalar(event) if type(event) is ScalarEvent else self._collection(event, depth)
        if type(event) is AliasEvent:
            return self._anchors.follow(event, depth)
        anchor = self._anchors.open(event, depth)
        value = self._scalar(event) if type(event) is ScalarEvent else self._collection(event, depth)
        self._anchors.close(anchor, value, depth)
        return value

    def _scalar(self, event: Any) -> Any:
        text = event.value
        if event.implicit[0]:
            return self._plain[text] if text in self._plain else self._new_plain(event)
        return text if event.tag is None else self._tagged(event)

    def _new_plain(self, event: Any) -> Any:
        try:
            value = self._plain[event.value] = yaml_scalars.plain(event.value)
        except yaml_scalars.UnusableTextError as error:
            raise self._unusable(event, error) from None
        return value

    def _tagged(self, event: Any) -> Any:
        if event.tag not in yaml_scalars.SCALAR_TAGS:
            raise self._unknown_tag(event)
        try:
            return yaml_scalars.tagged(event.tag, event.value)
        except yaml_scalars.UnusableTextError as error:
            raise self._unusable(event, error) from None

    def _collection(self, event: Any, depth: int) -> Any:
        depth += 1
        if depth > self._anchors.deepest:
            if depth > MAX_DEPTH:
                raise nesting_error(event.start_mark, self._file)
            self._anchors.deepest = depth
        is_mapping = type(event) is MappingStartEvent
        if event.tag not in (None, "!", yaml_scalars.MAP if is_mapping else yaml_scalars.SEQ):
            raise self._unknown_tag(event)
        return self._mapping(event, depth) if is_mapping else self._sequence(depth)

    def _sequence(self, depth: int) -> list[Any]:
        get, value = self._get, self._value
        result: list[Any] = []
        try:
            while type(event := get()) is not SequenceEndEvent:
                result.append(value(event, depth))
        except YamlError as error:
            _within(error, len(result))
            raise
        self._anchors.nodes += len(result)
        return result

    def _mapping(self, start: Any, depth: int) -> dict[str, Any]:
        get, value, plain = self._get, self._value, self._plain
        result: dict[Any, Any] = {}
        keys: list[Any] = []
        while type(event := get()) is not MappingEndEvent:
            if type(event) is ScalarEvent and event.anchor is None and event.implicit[0]:
                key = plain.get(event.value)
                if type(key) is not str:
                    key = self._plain_key(event, start)
            else:
                key = self._other_key(event, depth)
            if key in result:
                raise self._duplicate(keys[list(result).index(key)], event, key)
            keys.append(event)
            try:
                result[key] = value(get(), depth)
            except YamlError as error:
                _within(error, "<<" if key is _MERGE else key)
                raise
        self._anchors.nodes += 2 * len(result)
        return self._merged(result, keys) if _MERGE in result else result

    def _plain_key(self, event: Any, mapping: Any) -> Any:
        text = event.value
        if text in _SIGNS:
            return _SIGNS[text]
        try:
            key = self._plain[text] = yaml_scalars.plain(text)
            reading = yaml_scalars.describe(key)
        except yaml_scalars.UnusableTextError as error:
            key, reading = None, str(error)
        if isinstance(key, str):
            return key
        if not text:  # nothing is written that could have a place
            raise self._refusal(
                NonStringKeyError, "An empty key was read as null.", mapping, "Write the key."
            )
        raise self._refusal(
            NonStringKeyError, f"The key `{_shown(text)}` was read as {reading}.", event, "Quote the key."
        )

    def _other_key(self, event: Any, depth: int) -> str:
        if isinstance(event, CollectionStartEvent):
            kind = "a mapping" if type(event) is MappingStartEvent else "a list"
            raise self._refusal(NonStringKeyError, f"A key was read as {kind}.", event, "Keys are strings.")
        key = self._value(event, depth)
        if not isinstance(key, str):
            reading = yaml_scalars.describe(key)
            raise self._refusal(
                NonStringKeyError, f"A key was read as {reading}.", event, "Keys are strings."
            )
        return key

    def _merged(self, own: dict[Any, Any], keys: list[Any]) -> dict[str, Any]:
        """Return the mapping after its merge: earlier sources win over later ones, its own keys over all."""
        merge_key = keys[list(own).index(_MERGE)]
        merge = own.pop(_MERGE)
        sources = merge if isinstance(merge, list) else [merge]
        result: dict[str, Any] = {}
        for source in sources:
            if not isinstance(source, dict):
                message = f"`<<` takes a mapping or a list of mappings, not {_kind(merge, source)}."
                remedy = 'Quote the key if it is meant literally: "<<".'
                raise _within(self._refusal(MergeError, message, merge_key, remedy), "<<")
            for key, value in source.items():
                result.setdefault(key, value)
        result.update(own)
        return result

    def _refusal(self, cause: type[YamlError], message: str, event: Any, suggestion: str) -> YamlError:
        return refusal(cause, message, event.start_mark, self._file, suggestion)

    def _unusable(self, event: Any, error: ValueError) -> YamlError:
        message = f"YAML reads this text as {error}."
        return self._refusal(UnusableScalarError, message, event, "Quote it to have a string.")

    def _unknown_tag(self, event: Any) -> YamlError:
        tag = repr(event.tag.replace("tag:yaml.org,2002:", "!!"))[1:-1]
        message = f"The tag `{tag}` is not supported here."
        return self._refusal(UnknownTagError, message, event, "Remove it, or quote the text.")

    def _duplicate(self, first: Any, second: Any, key: Any) -> YamlError:
        name = "<<" if key is _MERGE else key
        message = (
            f"The key `{_shown(name)}` is written twice, first at {place_of(first.start_mark, self._file)}."
        )
        remedy = "Merge a list of mappings instead." if key is _MERGE else "Remove one of the two."
        return _within(self._refusal(DuplicateKeyError, message, second, remedy), name)


def _within(error: YamlError, token: str | int) -> YamlError:
    """Put the token of the outer collection before the location, on the way out."""
    if error.location is not None:
        error.location = pointer.pointer(token) + error.location
    return error


def _shown(key: str) -> str:
    text = key if key.isprintable() else repr(key)[1:-1]
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def _kind(merge: object, source: object) -> str:
    kind = yaml_scalars.describe(source)
    return f"a list with {kind}" if isinstance(merge, list) else kind
