"""Whether pipelines call the course functions that a teaching assistant would."""
