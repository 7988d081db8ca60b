"""Schedules in formats for programs, as tables: CSV, YAML and iCalendar. Other data in them is no material."""
