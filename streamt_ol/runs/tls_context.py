"""Whose certificates are accepted: decided by the settings alone, whatever the environment says."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

import certifi

from streamt_ol.runs.config_errors import key_refusal

if TYPE_CHECKING:
    from streamt_ol.engine.ruleset import RuleSet


def verifying_context(ca_file: str | None, rules: RuleSet) -> ssl.SSLContext:
    """Return a context that verifies certificates and the names in them.

    It trusts the authorities in a PEM file and no others, or without one those of certifi. Raises
    `TransportConfigError` for a file that cannot be used.
    """
    # Made by hand: ssl.create_default_context() writes session keys to a file that a variable names.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(certifi.where() if ca_file is None else ca_file)
    except OSError:  # ssl.SSLError is one
        loaded = False
    else:
        loaded = True
    if not loaded:
        raise key_refusal("authorities", "ca_file", "the settings of the program", rules)
    return context
