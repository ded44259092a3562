"""Review by meaning: checks of tables and of anybody's events, semantic diffs, golden cases, reports."""
