"""Feedback on a folder of submissions, as Moodle and Canvas hand them out."""
