"""What every Kafka client of this program is set up with: it prints nothing, tells nobody, makes no topic."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

LOG: Final = logging.getLogger("streamt_ol.kafka")
"""Gets what a client would print; off unless somebody sets a level."""
LOG.addHandler(logging.NullHandler())
LOG.setLevel(logging.CRITICAL + 1)

QUIET: Final = {"client.id": "streamt", "allow.auto.create.topics": False, "enable.metrics.push": False}


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C be Ctrl-C: one that comes while the client makes Python objects ends as a SystemError."""
    try:
        yield
    except SystemError as error:
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise
