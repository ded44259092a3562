"""The Flink SQL of a job, from a compiled project: pure functions, no service is asked."""
