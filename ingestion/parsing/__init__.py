"""Parses untrusted files in another process, within limits of size, time and memory."""
