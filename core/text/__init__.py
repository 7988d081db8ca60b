"""Splits texts into sentences and code blocks."""
