"""From course files to a stored tree of blocks with embeddings (design, section 4)."""
