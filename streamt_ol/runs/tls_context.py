"""Whose certificates are accepted: decided by the settings alone, whatever the environment says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamt_ol.runs.config_errors import key_refusal
from streamt_ol.services.tls import trusting

if TYPE_CHECKING:
    import ssl

    from streamt_ol.engine.ruleset import RuleSet


def verifying_context(ca_file: str | None, rules: RuleSet) -> ssl.SSLContext:
    """Return a context that verifies certificates and the names in them.

    It trusts the authorities in a PEM file and no others, or without one those of certifi. Raises
    `TransportConfigError` for a file that cannot be used.
    """
    try:
        return trusting(ca_file)
    except (OSError, ValueError):
        pass  # what they hold would be the context of what is raised
    raise key_refusal("authorities", "ca_file", "the settings of the program", rules)
