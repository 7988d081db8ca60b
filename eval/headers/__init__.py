"""How well question headers are found."""
