"""Typed client of EduMod's API."""

from edumod_client import api, models
from edumod_client.calls import ApiError, Call
from edumod_client.client import AsyncClient, Client
from edumod_client.webhooks import WrongSignature, verify_webhook

__all__ = ["ApiError", "AsyncClient", "Call", "Client", "WrongSignature", "api", "models", "verify_webhook"]
