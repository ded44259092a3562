"""What plans compare, kind by kind: what a project wants, in the terms of what its service shows."""
