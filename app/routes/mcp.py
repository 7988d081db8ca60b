"""`/mcp`: the tools of a course for MCP clients, by streamable HTTP."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.doors.addresses import base_of
from app.doors.mcp import PATH, CourseTools, McpResponse, build_server
from app.people.rules import ANYONE
from app.routes.parameters import Asker
from app.routes.services import Wired
from core.access import Permission

router = APIRouter(include_in_schema=False)


@router.post(PATH)
async def mcp(services: Wired, access: Asker, http: Request) -> Response:
    """One message of a client; its key decides which courses and texts it reads.

    There is no session, hence no stream to open with GET and nothing to end with DELETE.
    """
    return McpResponse(build_server(CourseTools(services, access, base_of(http))))


@router.get("/.well-known/oauth-protected-resource", dependencies=[ANYONE])
@router.get(f"/.well-known/oauth-protected-resource{PATH}", dependencies=[ANYONE])
async def describe_resource(http: Request) -> dict[str, Any]:
    """How a client proves who it is (RFC 9728): by a key of this service. There is no server that hands out tokens."""
    return {
        "resource": f"{base_of(http)}{PATH}",
        "resource_name": "EduMod",
        "bearer_methods_supported": ["header"],
        "scopes_supported": [Permission.ANSWER.value, Permission.DRAFTS_READ.value],
    }
