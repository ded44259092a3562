"""What exports cost, beside their floor and beside the client of the standard: `python -m benchmarks`."""
