"""Anybody's OpenLineage events, checked offline: lines, single events, sequences."""
