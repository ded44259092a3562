"""Jobs of Flink clusters: what runs there, and jobs submitted, stopped and restored exactly as planned."""
