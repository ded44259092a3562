"""Names and versions of the standard that the export follows."""

from __future__ import annotations

STANDARD = "OpenLineage"
RELEASE = "1.53.0"
CORE_SCHEMA = "2-0-2"
PRODUCER = "https://github.com/conduktor/streamt"
"""`producer` and `_producer` of everything that is emitted (section 6 of the project language)."""
