"""Items with labels, and the files that they are read from."""
