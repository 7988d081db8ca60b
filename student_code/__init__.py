"""Looks at students' code with tools that read and never run it."""
