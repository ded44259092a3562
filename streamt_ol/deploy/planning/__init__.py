"""What a deployment would do: what is wanted against what the state says and what is there."""
