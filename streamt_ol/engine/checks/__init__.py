"""Checks of rule tables: everything that is wrong with a directory of them, found in one pass."""
