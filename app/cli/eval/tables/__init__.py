"""Reports as tables on a terminal, one module per kind of evaluation."""
