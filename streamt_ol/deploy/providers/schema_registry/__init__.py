"""Subjects of a Schema Registry: what their latest versions are, and a registration exactly as planned."""
