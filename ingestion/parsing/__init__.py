"""Parses files of unknown origin in another process, within limits of size, time and memory."""
