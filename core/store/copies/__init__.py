"""Whole databases: written to a file, read from one, and copied from one database to another, of either kind."""
