"""Who may read a file: by its name, the course file, and its content."""
