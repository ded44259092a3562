"""Addresses of an http transport. Each check returns a word of `transport_fault`.

The parts are taken apart here and not by a library: libraries differ between versions in what they accept.
Source: section 6.3 of the runtime facts.
"""

from __future__ import annotations

import ipaddress
import re

_URL = re.compile(r"(?P<scheme>https?)://(?P<authority>[^/]*)(?P<path>.*)", re.IGNORECASE)
_AUTHORITY = re.compile(r"(?P<host>\[(?P<ipv6>[^\[\]]*)\]|[^:\[\]]*)(?::(?P<port>.*))?")
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_FOUR_NUMBERS = re.compile(r"[0-9]+(?:\.[0-9]+){3}")
_PORT = re.compile(r"0*[1-9][0-9]{0,4}|")
_LOOPBACK = ipaddress.IPv6Address("::1")
_HIGHEST_PORT = 65535
_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})|%(?:2[EeFf5]|5[Cc])")


def url_fault(text: str) -> str | None:
    """Return why a text is no base address: http or https, a host, perhaps a port and a path."""
    parts = _URL.fullmatch(text)
    if (marks := _marks_fault(text, "url")) is not None or parts is None:
        return marks or "url_scheme"
    if "@" in parts["authority"]:
        return "url_credentials"
    fault = _authority_fault(parts["authority"])
    if fault is None and not is_https(text) and not is_loopback(text):
        return "url_plain"
    return fault


def endpoint_fault(text: str) -> str | None:
    """Return why a text is no relative path that can follow a base address."""
    if (marks := _marks_fault(text, "endpoint")) is not None:
        return marks
    segments = text.split("/")
    if not segments[0] or ":" in segments[0]:  # a colon there would make it a scheme
        return "endpoint_absolute"
    if not {".", ".."}.isdisjoint(segments):
        return "endpoint_dots"
    return "endpoint_escape" if _ESCAPE.search(text) else None


def is_https(url: str) -> bool:
    """Tell whether an address is one of https."""
    return url[:8].lower() == "https://"


def is_loopback(url: str) -> bool:
    """Tell whether the host of an address that has no fault is this machine: `localhost`, 127/8 or `::1`.

    An IPv4 address inside IPv6 is not: versions of Python disagree about it.
    """
    parts = _URL.fullmatch(url)
    host = parts and _AUTHORITY.fullmatch(parts["authority"])
    if not host:
        return False
    if host["host"].lower() == "localhost":
        return True
    address = _ip_address(host["host"] if host["ipv6"] is None else host["ipv6"])
    if isinstance(address, ipaddress.IPv6Address):
        return address == _LOOPBACK
    return address is not None and address.is_loopback


def event_address(url: str, endpoint: str) -> str:
    """Return the address that events are posted to."""
    return f"{url.rstrip('/')}/{endpoint}"


def _authority_fault(authority: str) -> str | None:
    parts = _AUTHORITY.fullmatch(authority)
    if parts is None:
        return "url_host"
    port = parts["port"] or ""
    if not _PORT.fullmatch(port) or int(port or 1) > _HIGHEST_PORT:
        return "url_port"
    sound = _is_host(parts["host"]) if parts["ipv6"] is None else _is_ipv6(parts["ipv6"])
    return None if sound else "url_host"


def _is_host(host: str) -> bool:
    if _FOUR_NUMBERS.fullmatch(host):
        return _ip_address(host) is not None
    return _NAME.fullmatch(host) is not None


def _is_ipv6(host: str) -> bool:
    return "%" not in host and isinstance(_ip_address(host), ipaddress.IPv6Address)


def _ip_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _marks_fault(text: str, name: str) -> str | None:
    """Return which character may not stand in an address: blanks and control characters among them."""
    if not text.isprintable() or " " in text:
        return "value_characters"
    if "\\" in text:
        return f"{name}_backslash"
    return f"{name}_query" if "?" in text or "#" in text else None
