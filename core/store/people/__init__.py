"""People, keys and what is recorded of what they did."""
