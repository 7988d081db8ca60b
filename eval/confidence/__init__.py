"""Fits the confidence of offline answers to labels."""
