"""Checks of a submission, each of which returns findings at a line."""
