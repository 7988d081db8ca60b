"""Teaching scenarios: agents that talk by turns, tasks as combinations of variables, and a judge of each dialogue.

Reads the files of ELMES (arXiv 2507.22947) in both of its dialects, 0.1.x and 1.0.0, unmodified.
"""
