"""Whose certificates are accepted: decided by settings alone, whatever the environment says."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, Any

import certifi

if TYPE_CHECKING:
    from collections.abc import Mapping


def trusting(authorities: str | None) -> ssl.SSLContext:
    """Return a context that verifies certificates and the names in them.

    It trusts the authorities in a PEM file and no others, or without one those of certifi. Raises OSError
    (ssl.SSLError is one) and ValueError for a file that cannot be used.
    """
    # Made by hand: ssl.create_default_context() writes session keys to a file that a variable names.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(authorities or certifi.where())
    return context


def identified(settings: Mapping[str, Any]) -> ssl.SSLContext | str:
    """Return the context that `ssl_ca_location` and a client's `ssl_certificate_location` ask for.

    Where a file cannot be used, return the key of its setting.
    """
    using = "ssl_ca_location"
    try:
        context = trusting(settings.get(using))
        if settings.get("ssl_certificate_location"):
            using = "ssl_certificate_location"
            context.load_cert_chain(
                settings[using],
                settings.get("ssl_key_location"),
                lambda: settings.get("ssl_key_password") or "",  # without one nobody is asked on the terminal
            )
    except (OSError, ValueError):
        return using
    return context
