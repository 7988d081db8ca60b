"""Evaluation of the detection of question headers."""
