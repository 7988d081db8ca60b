"""LaTeX sources as lines, formulas unchanged."""
