"""What is told of an unexpected exception: its kind and place, never its message, which may hold anything."""

from __future__ import annotations

from pathlib import Path


def told(error: BaseException) -> str:
    """Return the one line that a user reads about a bug; the exception has been raised."""
    import traceback  # only a bug needs it

    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"this is a bug in streamt: {type(error).__name__} in {Path(frame.filename).name}:{frame.lineno}"
