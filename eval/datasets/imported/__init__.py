"""Questions about code from other systems, as labelled answers of a course."""
