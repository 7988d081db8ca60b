"""Fits what works without a model to labelled data: the offline router, the confidence, the computed judges."""
