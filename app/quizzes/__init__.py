"""Quizzes of courses: made from the material, reviewed by staff, exported."""
