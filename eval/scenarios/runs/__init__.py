"""Whole runs of scenarios: dialogues of several models, judged by several judges, and the report on both."""
