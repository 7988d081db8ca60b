"""Judges of an evaluation of answers: what they read, their scores as metrics, and their part of the report."""
