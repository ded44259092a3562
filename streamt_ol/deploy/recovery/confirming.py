"""The three words that confirm a recovery, each of which must be exactly what the plan says."""

from __future__ import annotations

import re
from hmac import compare_digest
from typing import TYPE_CHECKING, Final, NamedTuple

from streamt_ol.deploy.recovery.errors import RecoveryConfirmationError
from streamt_ol.deploy.state.history_file import RESOLUTIONS

if TYPE_CHECKING:
    from streamt_ol.deploy.recovery.recovery_file import LoadedPlan

_FORMS: Final = {
    "operation_id": (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "a UUID in lower case"),
    "resolution": ("|".join(RESOLUTIONS), f"one of {', '.join(RESOLUTIONS)}"),
    "evidence_checksum": (r"sha256:[0-9a-f]{64}", "`sha256:` and 64 hexadecimal digits in lower case"),
}


class Confirmations(NamedTuple):
    """What somebody who has read the recovery plan confirms."""

    operation_id: str
    resolution: str
    evidence_checksum: str


def require_form(confirmed: Confirmations) -> None:
    """Refuse confirmations that no plan could have, before any is read: RecoveryConfirmationError."""
    for name, text in confirmed._asdict().items():
        form, words = _FORMS[name]
        if not re.fullmatch(form, text):
            raise RecoveryConfirmationError(f"must be {words}", location=f"confirm_{name}")


def require_confirmed(confirmed: Confirmations, loaded: LoadedPlan) -> None:
    """Refuse confirmations of another plan: RecoveryConfirmationError."""
    plan = loaded.plan
    said = (plan.blocked_operation_id, plan.resolution, loaded.evidence_checksum)
    for name, text, expected in zip(Confirmations._fields, confirmed, said, strict=True):
        if not compare_digest(text.encode(), expected.encode()):
            raise RecoveryConfirmationError(
                f"is not what the recovery plan says: {expected}",
                location=f"confirm_{name}",
                suggestion="read the plan, then confirm what it says",
            )
