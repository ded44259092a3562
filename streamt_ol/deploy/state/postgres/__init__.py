"""The state in PostgreSQL, for everybody who applies a project."""
