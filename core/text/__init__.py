"""Texts taken apart: sentences and code."""
