"""Plan and apply: what is wanted against what is known and what is there, and durable operations."""
