"""Evaluation of how personal data is found in students' texts (decision 0039)."""
