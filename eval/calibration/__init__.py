"""Calibration of judges against people."""
