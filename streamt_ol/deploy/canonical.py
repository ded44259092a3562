"""Plain values as bytes that depend on nothing but the values, and their checksums.

Source: section 1.1 of the runtime facts.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any


def canonical_json(value: Any) -> bytes:
    """Return plain JSON values with sorted keys and compact separators, non-ASCII kept, as UTF-8.

    Raises ValueError for a number that is not finite and for half a surrogate pair, TypeError for whatever
    is no JSON value.
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode()


def checksum(value: Any) -> str:
    """Return `sha256:` and the hexadecimal digest of the value as canonical JSON; raises as that does."""
    return checksum_of_bytes(canonical_json(value))


def checksum_of_bytes(data: bytes) -> str:
    """Return `sha256:` and the hexadecimal digest of the bytes."""
    return f"sha256:{sha256(data).hexdigest()}"
