"""Graph and tables to static events: facts, identities, namespaces, mapping, checks, canonical bytes."""
