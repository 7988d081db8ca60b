"""Who may read a file: by its name, by what the course file says, and by what it repeats of other files."""
