"""Explicit recovery of an operation that did not end."""
