"""Evaluation of retrieval."""
