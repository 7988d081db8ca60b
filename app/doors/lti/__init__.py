"""LTI 1.3: people enter from Canvas, Moodle and other learning platforms (decision 0076)."""
