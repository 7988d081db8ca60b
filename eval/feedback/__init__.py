"""Evaluation of feedback on homework against labelled submissions."""
