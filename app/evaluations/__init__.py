"""Stored evaluations, for the pages that show them."""
