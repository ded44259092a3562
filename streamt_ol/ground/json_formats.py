"""The string formats that JSON Schema checks really check here, by the grammars of their RFCs.

jsonschema-rs and jsonschema differ in leap seconds, IRIs, UUIDs without dashes and more, and jsonschema skips
`date-time` and `uri` unless extras are installed. So both are given these functions, and no other format.
"""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from ipaddress import AddressValueError, IPv6Address
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from streamt_ol.ground.errors import StreamtError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class FormatsUncheckedError(StreamtError):
    """The installed environment lets a malformed date-time, URI or UUID pass."""

    code: ClassVar[str] = "E590_INTERNAL"


_DATE_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9]|60)(?:\.[0-9]+)?"
    r"(?:[Zz]|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))"
)
_LAST_MINUTE_OF_THE_DAY = 23 * 60 + 59

_PLAIN = r"A-Za-z0-9\-._~!$&'()*+,;="  # `unreserved` and `sub-delims` of RFC 3986
_ESCAPED = r"%[0-9A-Fa-f]{2}"
_PCHAR = rf"(?:[{_PLAIN}:@]|{_ESCAPED})"
_HOST = rf"(?:\[(?:[Vv][0-9A-Fa-f]+\.[{_PLAIN}:]+|([0-9A-Fa-f:.]+))\]|(?:[{_PLAIN}]|{_ESCAPED})*)"
_AUTHORITY = rf"(?:(?:[{_PLAIN}:]|{_ESCAPED})*@)?{_HOST}(?::[0-9]*)?"
_HIERARCHY = rf"(?://{_AUTHORITY}(?:/{_PCHAR}*)*|/?(?:{_PCHAR}+(?:/{_PCHAR}*)*)?)"
_TAIL = rf"(?:{_PCHAR}|[/?])*"
_URI = re.compile(rf"[A-Za-z][A-Za-z0-9+.\-]*:{_HIERARCHY}(?:\?{_TAIL})?(?:\#{_TAIL})?")

_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")


@lru_cache(maxsize=1024)
def is_date_time(text: str) -> bool:
    """Return whether the text is a `date-time` of RFC 3339, section 5.6, on a real date.

    `T` and `Z` may be lower-case; second 60 is one only where UTC has 23:59.
    """
    match = _DATE_TIME.fullmatch(text)
    if match is None:
        return False
    year, month, day, hour, minute, second, sign, offset_hour, offset_minute = match.groups()
    try:
        date(int(year) or 400, int(month), int(day))  # the year 0000 has the calendar of 0400
    except ValueError:
        return False
    offset = (int(offset_hour) * 60 + int(offset_minute)) * (-1 if sign == "-" else 1) if sign else 0
    return second != "60" or (int(hour) * 60 + int(minute) - offset) % (24 * 60) == _LAST_MINUTE_OF_THE_DAY


@lru_cache(maxsize=1024)
def is_uri(text: str) -> bool:
    """Return whether the text is a `URI` of RFC 3986: it has a scheme and is ASCII."""
    match = _URI.fullmatch(text)
    if match is None:
        return False
    if match[1] is None:
        return True
    try:
        IPv6Address(match[1])
    except AddressValueError:
        return False
    return True


def is_uuid(text: str) -> bool:
    """Return whether the text is a UUID as RFC 4122, section 3, writes it; upper-case is read too."""
    return _UUID.fullmatch(text) is not None


FORMATS: Mapping[str, Callable[[str], bool]] = MappingProxyType(
    {"date-time": is_date_time, "uri": is_uri, "uuid": is_uuid}
)
"""Format name to its function; only strings are asked about."""

_OF_NO_FORMAT = "no date-time: no URI, no UUID"


def assert_formats_checked(lets_pass: Callable[[str, str], bool]) -> None:
    """Raise `FormatsUncheckedError` if `lets_pass(format, text)` holds for a malformed text."""
    unchecked = [name for name in FORMATS if lets_pass(name, _OF_NO_FORMAT)]
    if unchecked:
        raise FormatsUncheckedError(
            f"an installed validator does not check the formats {', '.join(unchecked)}",
            location="format",
            suggestion="install the dependency versions that this package declares",
        )
