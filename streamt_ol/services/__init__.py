"""Clients of services that several rooms use: how they are set up, bounded and understood."""
