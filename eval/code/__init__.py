"""Evaluation of answers to questions about code against labelled issues."""
