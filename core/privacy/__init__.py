"""Personal data in questions: found, and replaced by placeholders while models see the question (decision 0039)."""
