"""LaTeX sources: headings, numbered questions, theorems and code as lines, formulas as they are."""
