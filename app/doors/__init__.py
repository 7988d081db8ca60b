"""Other ways to ask than `POST /answer`; all of them take its path (decision 0087)."""
