"""Evaluation of every part, with figures (design, section 8). Import from its modules; never `import eval`."""
