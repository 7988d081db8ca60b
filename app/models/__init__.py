"""The models and embeddings of an installation: built from its settings, and checked."""
