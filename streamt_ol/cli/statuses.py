"""Exit statuses (decision D13); the one of a reader that went away is in `report.py`."""

SUCCESS = 0
"""Warnings included."""
FAILURE = 1
USAGE = 2
"""Click's own; also of commands that compare or check, where they could not."""
INTERRUPTED = 130
