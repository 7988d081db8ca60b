"""Names and roles (LTI NRPS 2.0): a course's members, whose names models never see, and who may still enter."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from app.doors.lti.roles import role_of
from app.doors.lti.signing import ToolKey
from app.doors.lti.transport import PlatformFailed, request_json
from core.access import LOCAL
from core.errors import EduModError, InvalidInput
from core.privacy.names import KnownPerson
from core.store.people.audit import AuditEntry
from core.store.people.keys import digest
from core.store.store import Store
from core.store.tables import LtiLinkRow, LtiPlatformRow
from core.store.tables.lti import ANY_CONTEXT
from core.types import Role

SCOPE = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"
MEDIA_TYPE = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json"
ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
EVERY = timedelta(hours=1)
"""How often a launch has the members read again."""
TOKEN_SECONDS = 300
MAX_PAGES, MAX_MEMBERS = 500, 100_000
PREFIX = "lti-"
"""What pseudonyms of members begin with: others of the course's roster were listed by its staff, and stay."""
log = logging.getLogger("edumod")


@dataclass(frozen=True)
class RosterRead:
    """How many members the platform listed, and how many lost their role because it does not list them any more."""

    members: int
    left: int


async def read_if_due(store: Store, link: LtiLinkRow, url: str) -> None:
    """Read a course's members unless that was done of late. What goes wrong is logged: nobody waits for it."""
    if not await store.lti.take_roster(link, url, EVERY):
        return
    try:
        await read_roster(store, await store.lti.get(link.platform_id), link, url)
    except EduModError as error:
        log.warning("The members of %s were not read: %s", link.course_id, error)


async def read_roster(store: Store, platform: LtiPlatformRow, link: LtiLinkRow, url: str | None) -> RosterRead:
    """Read a course's members: their names become pseudonyms, and those who left lose their role.

    Raises `PlatformFailed`, and `InvalidInput` where the platform named no list.
    """
    if url is None:
        raise InvalidInput(f"The platform has not said where the members of {link.course_id} are listed: enter once.")
    if urlsplit(url).scheme != "https" and urlsplit(platform.token_url).scheme == "https":
        raise PlatformFailed("The platform names a list of members without TLS.")
    members = await _members(url, await _token(platform, await ToolKey.of(store)))
    present = [member for member in members if member.get("status", "Active") == "Active"]
    entries = await store.rosters.get(link.course_id)
    own = f"{PREFIX}{link.platform_id}-"
    listed = {person.pseudonym: person for member in present if (person := _person(own, member)) is not None}
    # A whole deployment may hold several courses of the platform, and this is the list of one of them.
    is_whole_list = link.context_id != ANY_CONTEXT
    others = [
        person
        for person in entries
        if person.pseudonym not in listed and not (is_whole_list and person.pseudonym.startswith(own))
    ]
    await store.rosters.replace(link.course_id, [*others, *listed.values()])
    left = 0
    if is_whole_list:
        entering = {str(member["user_id"]) for member in present if _role(member) is not None}
        left = await store.lti.leave(link.platform_id, link.course_id, entering)
    details = {"members": len(present), "left": left}
    await store.audit.add(AuditEntry(LOCAL, "lti.roster", link.course_id, details=details))
    return RosterRead(len(present), left)


async def _token(platform: LtiPlatformRow, key: ToolKey) -> str:
    moment = int(time.time())
    claims = {
        "iss": platform.client_id,
        "sub": platform.client_id,
        "aud": platform.token_url,
        "iat": moment,
        "exp": moment + TOKEN_SECONDS,
        "jti": secrets.token_urlsafe(16),
    }
    form = {
        "grant_type": "client_credentials",
        "client_assertion_type": ASSERTION,
        "client_assertion": key.sign(claims),
        "scope": SCOPE,
    }
    reply = (await request_json(platform.token_url, form=form)).content
    token = reply.get("access_token") if isinstance(reply, dict) else None
    if not isinstance(token, str):
        raise PlatformFailed("The platform gave no token for its list of members.")
    return token


async def _members(url: str, token: str) -> list[dict[str, Any]]:
    """Of all pages. Raises `PlatformFailed`, also for a list that leads to another host or is cut off."""
    headers = {"Authorization": f"Bearer {token}", "Accept": MEDIA_TYPE}
    origin = urlsplit(url)[:2]
    members: list[dict[str, Any]] = []
    following: str | None = url
    for _ in range(MAX_PAGES):
        if urlsplit(following)[:2] != origin:
            raise PlatformFailed("The platform's list of members leads to another host.")
        reply = await request_json(str(following), headers=headers)
        page = reply.content.get("members") if isinstance(reply.content, dict) else None
        if not isinstance(page, list):
            raise PlatformFailed("The platform's list of members cannot be read.")
        members += [member for member in page if isinstance(member, dict) and member.get("user_id")]
        following = reply.links.get("next")
        if following is None:
            return members
        if len(members) > MAX_MEMBERS:
            break
    raise PlatformFailed("The platform's list of members does not end.")


def _role(member: dict[str, Any]) -> Role | None:
    roles = member.get("roles")
    return role_of(str(role) for role in roles) if isinstance(roles, list) else None


def _person(prefix: str, member: dict[str, Any]) -> KnownPerson | None:
    """None where the platform keeps the name to itself."""
    parts = [str(member[name]) for name in ("given_name", "family_name") if member.get(name)]
    names: Sequence[str] = [str(member["name"])] if member.get("name") else []
    if not (spellings := [*names, *([" ".join(parts)] if parts else [])]):
        return None
    ids = [str(member[name]) for name in ("email", "lis_person_sourcedid") if member.get(name)]
    aliases = tuple(dict.fromkeys(text for text in (*spellings[1:], *ids) if text != spellings[0]))
    return KnownPerson(name=spellings[0], aliases=aliases, pseudonym=prefix + digest(str(member["user_id"]))[:12])
