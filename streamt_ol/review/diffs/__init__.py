"""Two exports compared by meaning: changes, severities, what they feed, and how they are shown."""
