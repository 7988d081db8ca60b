"""Decisions over HTTP."""

from __future__ import annotations

from typing import Any

import httpx


def decide(client: httpx.Client, draft: dict[str, Any], etag: str | None = None, **decision: Any) -> httpx.Response:
    headers = {"If-Match": etag} if etag else {}
    return client.post(f"/drafts/{draft['id']}/decision", json=decision, headers=headers)
