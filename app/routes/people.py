"""Signing in and out, and who one is."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from app.people.cookies import OIDC, SESSION, Cookies, delete
from app.people.guard import Guard
from app.people.oidc import Provider
from app.people.rules import ANYONE, Rule
from app.routes.services import Wired
from app.schemas import MeOut
from app.web.render import render
from core.access import Access
from core.errors import NotFound, Unauthenticated

router = APIRouter(tags=["people"])

Me = Annotated[Access, Depends(Rule(None))]
Next = Annotated[str, Query(alias="next", description="Where to go afterwards.")]
Token = Annotated[str, Path(max_length=100)]
CALLBACK = "/sign-in/oidc/callback"


async def _cookies(request: Request, services: Wired) -> Cookies:
    guard: Guard = request.app.state.guard
    return await guard.cookies(services.store)


Signing = Annotated[Cookies, Depends(_cookies)]


@router.get("/me")
async def me(access: Me) -> MeOut:
    """Who sends the request, and what they may do in which course."""
    return MeOut.of(access)


@router.get("/sign-in", response_class=HTMLResponse, include_in_schema=False, dependencies=[ANYONE])
async def sign_in(services: Wired, after: Next = "/") -> HTMLResponse:
    """How to sign in here."""
    provider = Provider.of(services.settings)
    begin = f"/sign-in/oidc?{urlencode({'next': after})}" if provider else None
    return HTMLResponse(render("sign_in.html", begin=begin, link=None, person=None))


@router.get("/sign-in/link/{token}", response_class=HTMLResponse, include_in_schema=False, dependencies=[ANYONE])
async def invited(token: Token, services: Wired) -> HTMLResponse:
    """Asks for a click: programs that look through e-mails follow links too, and would use this one up."""
    if (person := await services.store.sessions.invitee(token)) is None:
        raise NotFound(UNUSABLE)
    return HTMLResponse(render("sign_in.html", begin=None, link=f"/sign-in/link/{token}", person=person))


@router.post("/sign-in/link/{token}", include_in_schema=False, dependencies=[ANYONE])
async def redeem(token: Token, services: Wired, request: Request, cookies: Signing) -> Response:
    """Uses the link: the browser is signed in."""
    if (session := await services.store.sessions.redeem(token)) is None:
        raise NotFound(UNUSABLE)
    return _begin_session(cookies, request, session, "/")


UNUSABLE = "The link was used, or is too old. Ask for another: `edumod people invite` makes one."


@router.post("/sign-out", include_in_schema=False, dependencies=[ANYONE])
async def sign_out(services: Wired, request: Request, cookies: Signing) -> Response:
    """Ends the session."""
    if (token := cookies.session(request.scope)) is not None:
        await services.store.sessions.end(token)
    response = RedirectResponse("/sign-in", 303)
    delete(response, SESSION)
    return response


@router.get("/sign-in/oidc", include_in_schema=False, dependencies=[ANYONE])
async def begin_oidc(services: Wired, request: Request, cookies: Signing, after: Next = "/") -> Response:
    """Sends the browser to the provider."""
    url, begun = await _provider(services).begin(_callback(request))
    response = RedirectResponse(url, 303)
    cookies.set_oidc(response, request, begun | {"next": own_address(after)})
    return response


@router.get(CALLBACK, include_in_schema=False, dependencies=[ANYONE])
async def finish_oidc(services: Wired, request: Request, cookies: Signing) -> Response:
    """Where the provider sends the browser back to."""
    provider = _provider(services)
    if (begun := cookies.oidc(request.scope)) is None:
        raise Unauthenticated("Signing in took too long, or began in another browser. Begin again.")
    account = await provider.finish(_callback(request), str(request.url), begun)
    member = await services.store.members.sign_in(account.issuer, account.subject, account.email)
    if member is None:
        raise Unauthenticated("Nobody has invited this account. Ask an instructor or the operator.")
    response = _begin_session(cookies, request, await services.store.sessions.begin(member.id), begun["next"])
    delete(response, OIDC)
    return response


def own_address(address: str) -> str:
    """The address if it is one of this service, else the first page: links of others must not lead elsewhere."""
    is_own = address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    return address if is_own else "/"


def _begin_session(cookies: Cookies, request: Request, session: str, address: str) -> Response:
    response = RedirectResponse(address, 303)
    cookies.set_session(response, request, session)
    return response


def _provider(services: Wired) -> Provider:
    if (provider := Provider.of(services.settings)) is None:
        raise NotFound("Accounts elsewhere cannot be used here: EDUMOD_OIDC_ISSUER is not set.")
    return provider


def _callback(request: Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc}{CALLBACK}"
