"""What the terminal shows that a program writes to."""

from __future__ import annotations

import os


def read_all(terminal: int) -> bytes:
    """Return everything until nobody has the other end any more, and close the terminal."""
    shown = b""
    try:
        while more := os.read(terminal, 4096):
            shown += more
    except OSError:  # how Linux says that nobody has the other end any more
        pass
    finally:
        os.close(terminal)
    return shown
