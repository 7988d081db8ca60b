"""Feedback on homework: what can be computed is computed, and a model or a fixed sentence says it."""
