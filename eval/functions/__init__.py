"""Evaluation of function selection: do pipelines call the course functions that a teaching assistant would call?"""
