"""Talking to a language model: a task says what, a backend says how (design, section 3)."""
