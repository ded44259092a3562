"""Dataset namespaces of the form `kafka://host:port` (decision D8): one message per way to get it wrong.

What was written is never shown where it could hold a password: user information, and anything unrecognised.
"""

from __future__ import annotations

import ipaddress
import re

_HOST = re.compile(r"[A-Za-z0-9._-]+")
_PORT = re.compile(r"[1-9][0-9]{0,4}")
_HIGHEST_PORT = 65535
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+._-]*)://")
SCHEME = "kafka://"


def uri_problem(text: str) -> str | None:
    """Return why a text is no `kafka://host:port`; None when it is one."""
    if not text.isascii() or not text.isprintable():
        return "it holds a character that is not printable ASCII"
    if " " in text:
        return "it holds a blank"
    if not text.startswith(SCHEME):
        return _scheme_problem(text)
    authority = text.removeprefix(SCHEME)
    for mark, part in (
        ("@", "user information"),
        ("/", "a path"),
        ("?", "a query"),
        ("#", "a fragment"),
        (",", "a list of brokers"),
    ):
        if mark in authority:
            return f"it holds {part}: only kafka://host:port names one cluster"
    return authority_problem(authority)


def _scheme_problem(text: str) -> str:
    scheme = _SCHEME.match(text)
    if scheme is not None:
        return "its scheme is not kafka, in lower case"
    if authority_problem(text) is None:
        return f"its scheme is missing: write {SCHEME}{text}"
    return "it does not start with kafka://"


def authority_problem(authority: str) -> str | None:
    """Return why a text is no `host:port`; None when it is one."""
    if authority.startswith("["):
        return _bracketed_problem(authority)
    host, colon, port = authority.rpartition(":")
    if not colon:
        return "its port is missing"
    if ":" in host:
        return "it has several colons: an IPv6 address stands in brackets"
    if not _HOST.fullmatch(host):
        return (
            "its host is empty"
            if not host
            else "its host holds a character other than letters, digits, '.', '-', '_'"
        )
    return _port_problem(port)


def _bracketed_problem(authority: str) -> str | None:
    host, bracket, rest = authority[1:].partition("]")
    if not bracket or not _is_ipv6(host):
        return "its bracketed host is not an IPv6 address without zone"
    return _port_problem(rest[1:]) if rest.startswith(":") else "its port is missing"


def _is_ipv6(host: str) -> bool:
    try:
        ipaddress.IPv6Address(host)
    except ValueError:
        return False
    return "%" not in host


def _port_problem(port: str) -> str | None:
    if not _PORT.fullmatch(port) or int(port) > _HIGHEST_PORT:
        return "its port is not a number from 1 to 65535 without leading zeros"
    return None


def endpoint_problem(endpoint: str) -> str | None:
    """Return why no namespace follows from a runtime address; None when it is exactly one host and port."""
    trimmed = endpoint.strip()
    if "," in trimmed:
        return "it lists several brokers, and none of them names the cluster"
    if "://" in trimmed:
        return "it has a scheme: a bootstrap address is host:port"
    if "@" in trimmed:
        return "it holds user information"
    if not trimmed.isascii() or not trimmed.isprintable() or " " in trimmed:
        return "it holds a blank or a character that is not printable ASCII"
    return authority_problem(trimmed)


def agreement_hint(endpoint: str) -> str | None:
    """Return how a broker list and one identity can agree (decision D10); None where none is safe to show."""
    brokers = [broker.strip() for broker in endpoint.split(",") if broker.strip()]
    if not brokers or any(authority_problem(broker) is not None for broker in brokers):
        return None
    first, _comma, _rest = endpoint.partition(",")
    hosts = ", ".join(broker.rpartition(":")[0] for broker in brokers)
    return (
        f"the Flink 2 OpenLineage listener would say {SCHEME}{first} (the first broker, as written); "
        "choose one identity, give it here, and give the listener the same one in its configuration: "
        f"dataset.namespaceResolvers.IDENTITY = {{type: hostList, schema: kafka, hosts: [{hosts}]}}"
    )
