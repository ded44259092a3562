"""Services that hold resources: what is there is observed, and a planned action carried out exactly."""
