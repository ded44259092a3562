"""What every Kafka client of this program is set up with: it prints nothing, tells nobody, makes no topic."""

from __future__ import annotations

import logging
from typing import Final

LOG: Final = logging.getLogger("streamt_ol.kafka")
"""Gets what a client would print; off unless somebody sets a level."""
LOG.addHandler(logging.NullHandler())
LOG.setLevel(logging.CRITICAL + 1)

QUIET: Final = {"client.id": "streamt", "allow.auto.create.topics": False, "enable.metrics.push": False}
