"""Evaluation of answers."""
