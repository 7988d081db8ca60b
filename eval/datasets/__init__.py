"""What is measured on: items with their labels, and the files that they come from."""
