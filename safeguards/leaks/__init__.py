"""Keeps the words of texts for staff alone out of answers: readings of an answer, and comparisons with secrets."""
