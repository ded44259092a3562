"""The face: commands, text and JSON output, exit codes. The only room that knows click."""
