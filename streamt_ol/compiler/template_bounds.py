"""The bounds of one rendering that the fast path has to know, too."""

from __future__ import annotations

OUTPUT_BYTES = 10 * 1024 * 1024
"""The most that a rendered text may take as UTF-8 (rule D1)."""

WORK = 32 * 1024 * 1024
"""Units of work per rendering: one for each character that an operation reads or makes."""

STEP = 64
"""What an item of a loop, a call, a filter or an operator costs on top: about 500,000 fit."""
