"""Drafts: their work from beginning to end, those that wait in memory, and lists of them."""
