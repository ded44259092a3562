"""The rule-table interpreter: load, verify, compile, decide, trace. It knows no word of streaming."""
