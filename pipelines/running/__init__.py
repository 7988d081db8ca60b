"""The parts of a run: asking a model, choosing and running calls, limits, and the trace."""
