"""Texts as vectors: the embedding model, its files, and the chunks that are embedded."""
