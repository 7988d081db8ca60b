"""The offline backend's choice of functions and its answers, by rules and trained weights."""
