"""Compares two stored evaluations."""
