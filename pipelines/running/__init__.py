"""What a run is made of: asking a model, choosing and running calls, its limits and its trace."""
