"""Reads mathematics in what a student wrote: tokens, units, chains of equations, expressions, values."""
