"""The data set and the conditions of an evaluation."""
