"""A small course for who writes a bot: its questions are deleted within the hours, and nothing of it is posted."""
