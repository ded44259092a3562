"""What differs between two lists of fields of schema facets, nested fields included.

Fields are told apart by name, and fields of one name by their order. The order of a schema is that of
`ordinal_position` where every field has one, else that of the list; it changed if fields that both sides have
stand otherwise to each other, not if one came between them.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from streamt_ol.ground.pointer import pointer
from streamt_ol.review.diffs.found import Found, pairs, same

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Field = dict[str, Any]
Key = tuple[str, int]
"""The name of a field, and its number among the fields of that name."""
_KNOWN = frozenset({"name", "ordinal_position", "type", "description", "fields"})


def field_differences(
    old: Sequence[Field], new: Sequence[Field], at: str, inside: str = ""
) -> Iterator[Found]:
    """Yield what differs between two lists of fields; `inside` is the field that they are nested in."""
    before, after = _by_name(old), _by_name(new)
    at = f"{at}/fields"
    for key, field in before.items():
        if key not in after:
            yield Found("field", at + _token(key), f"field {inside}{_called(key)}", old=field)
    for key, field in after.items():
        if key not in before:
            yield Found("field", at + _token(key), f"field {inside}{_called(key)}", new=field)
        elif not same(before[key], field):
            yield from _field(before[key], field, at + _token(key), f"{inside}{_called(key)}")
    both = before.keys() & after.keys()
    order = [key for key in before if key in both], [key for key in after if key in both]
    if order[0] != order[1]:
        yield _reordered(*order, at, inside)


def _field(old: Field, new: Field, at: str, name: str) -> Iterator[Found]:
    kind = str(old.get("type")), str(new.get("type"))
    for key, shown in (("type", kind), ("description", ("", ""))):
        if old.get(key) != new.get(key):
            yield Found(key, f"{at}/{key}", f"{key} of field {name}", old.get(key), new.get(key), shown)
    yield from field_differences(old.get("fields", ()), new.get("fields", ()), at, f"{name}.")
    for key, before, after in pairs(_unknown(old), _unknown(new)):
        yield Found("facet", at + pointer(key), f"{key} of field {name}", before, after)


def _reordered(old: list[Key], new: list[Key], at: str, inside: str) -> Found:
    """Return the one change of an order; a message shows the first place that another field has now."""
    names = [_called(key) for key in old], [_called(key) for key in new]
    first = next(pair for pair in zip(*names, strict=True) if pair[0] != pair[1])
    within = f" in {inside[:-1]}" if inside else ""
    return Found("order", at, f"order of fields{within}", *names, first)


def _by_name(fields: Sequence[Field]) -> dict[Key, Field]:
    """Return the fields, in the order of the schema, by name and number among the fields of that name."""
    positions = [field.get("ordinal_position") for field in fields]
    if all(type(position) is int for position in positions):
        fields = sorted(fields, key=lambda field: field["ordinal_position"])
    seen: Counter[str] = Counter()
    named: dict[Key, Field] = {}
    for field in fields:
        seen[field["name"]] += 1
        named[field["name"], seen[field["name"]]] = field
    return named


def _token(key: Key) -> str:
    return pointer(*key) if key[1] > 1 else pointer(key[0])


def _called(key: Key) -> str:
    return f"{key[0]} ({key[1]})" if key[1] > 1 else key[0]


def _unknown(field: Field) -> Mapping[str, Any]:
    return {key: value for key, value in field.items() if key not in _KNOWN}
