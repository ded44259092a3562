"""What `streamt test` runs: which tests, on which topics and jobs, and what becomes of them."""
