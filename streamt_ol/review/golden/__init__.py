"""Golden cases: example projects, what the program prints for them, and what somebody approved of it."""
