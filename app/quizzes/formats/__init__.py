"""The files that a quiz is exported to, one module each."""
