"""Names for what goes wrong with a connection, and by the table `connection-failures` what is said of it.

A name holds nothing of what a library says in words, which may quote addresses and certificates.
"""

from __future__ import annotations

import errno
import ssl
from typing import TYPE_CHECKING, Final, NamedTuple

from streamt_ol.engine.ruleset import Needs

if TYPE_CHECKING:
    from streamt_ol.engine.ruleset import RuleSet

NAME_UNKNOWN: Final = "NAME_UNKNOWN"
NAME_LATE: Final = "NAME_LATE"
CONNECT_LATE: Final = "CONNECT_LATE"
TLS_BROKEN_OFF: Final = "TLS_BROKEN_OFF"
ANSWER_LATE: Final = "ANSWER_LATE"
BROKEN_OFF: Final = "BROKEN_OFF"
NO_HTTP: Final = "NO_HTTP"

OTHER: Final = "other"
_VERIFYING: Final = {
    9: "CERT_NOT_YET_VALID",
    10: "CERT_HAS_EXPIRED",
    18: "DEPTH_ZERO_SELF_SIGNED_CERT",
    19: "SELF_SIGNED_CERT_IN_CHAIN",
    20: "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    21: "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    23: "CERT_REVOKED",
    62: "HOSTNAME_MISMATCH",
    64: "IP_ADDRESS_MISMATCH",
}
"""`X509_V_ERR_...` of OpenSSL's x509_vfy.h by number."""


class ConnectionFailure(NamedTuple):
    """Facts of the record `connection_failure` (rules/facts.yml)."""

    at: str
    error: str
    """The name of what went wrong, or `other`."""


class Said(NamedTuple):
    """What is said of it."""

    reason: str
    advice: str


CONNECTION_NEEDS: Final = Needs(
    tables={"connection-failures": ["reason", "advice"]},
    catalogues={},
    records={"connection_failure": ConnectionFailure},
)


def error_name(error: OSError) -> str:
    """Return the name of an error of the system or of OpenSSL, `other` for one without."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return _VERIFYING.get(error.verify_code, OTHER)
    if isinstance(error, ssl.SSLError):
        return error.reason or OTHER
    return errno.errorcode.get(error.errno or 0, OTHER)


def said_of(name: str, at: str, rules: RuleSet) -> Said:
    """Return what is said of what went wrong at a place of the runtime."""
    table = rules.table("connection-failures")
    facts = ConnectionFailure(at, name if name in table.inputs["error"] else OTHER)
    decision = table.decide(facts)
    return Said(decision["reason"](facts), decision["advice"](facts))
