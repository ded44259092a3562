"""What every room stands on: errors, YAML and JSON text, packaged data. It imports no other room."""
