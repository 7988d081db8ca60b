"""Servers that stand in for a model endpoint: a real one with random weights, and one that misbehaves on cue."""
