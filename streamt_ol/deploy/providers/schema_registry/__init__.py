"""Subjects of a Schema Registry: what their latest version is, and a planned registration carried out exactly."""
