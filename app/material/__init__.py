"""The material of a course as people may see it."""
