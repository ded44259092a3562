"""What a project owns in an environment and what is under way there; a crash leaves the truth."""
