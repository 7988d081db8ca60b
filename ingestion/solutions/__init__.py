"""Finds solutions and other texts for staff, and gives each question its own."""
