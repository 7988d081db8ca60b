"""The API of OpenAI, as chat clients speak it: a course and pipeline is a model."""
