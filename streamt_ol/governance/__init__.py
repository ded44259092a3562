"""What `streamt validate` demands of a project beyond loading and compiling. Levels and codes are rows."""
