"""Finite run events of commands: their lifecycle, their configuration, and how they are delivered."""
