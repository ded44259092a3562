"""Checks of rule tables against the pinned OpenLineage schemas, the program's codes and the contract."""
