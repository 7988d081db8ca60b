"""The index of a course's material: words, vectors, structure, and solutions joined to their questions."""
