"""Finds the questions of a document: headers, numbering and statements, by rules or with a model."""
