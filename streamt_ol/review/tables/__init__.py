"""Rule tables and codes laid out for people, and which rows a golden suite fires."""
