"""OpenLineage design metadata for declarative streaming projects, decided by rule tables."""

__version__ = "0.1.0"
