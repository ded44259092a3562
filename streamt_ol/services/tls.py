"""Whose certificates are accepted: decided by settings alone, whatever the environment says."""

from __future__ import annotations

import ssl

import certifi


def trusting(authorities: str | None) -> ssl.SSLContext:
    """Return a context that verifies certificates and the names in them.

    It trusts the authorities in a PEM file and no others, or without one those of certifi. Raises OSError
    (ssl.SSLError is one) and ValueError for a file that cannot be used.
    """
    # Made by hand: ssl.create_default_context() writes session keys to a file that a variable names.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(authorities or certifi.where())
    return context
