"""Finds the questions of a document, by rules or with a model."""
