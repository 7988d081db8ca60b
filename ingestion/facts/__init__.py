"""Reads works, events and staff from a document's blocks."""
