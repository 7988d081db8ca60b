"""Questions written from a course's own text by rules, and how they are asked of models."""
