"""Applying: gates before anything is durable, then one durable operation."""
