"""Connectors on the Kafka Connect clusters of a runtime."""
