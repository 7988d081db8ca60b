"""`/lti`: people enter from a learning platform (LTI 1.3, decision 0076)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from starlette.background import BackgroundTask

from app.doors.addresses import base_of
from app.doors.lti.registration import AGAIN, DEEP_LINK, KEYS, LAUNCH, LOGIN, Login
from app.edge.headers import nonce, policy_of
from app.people.cookies import LTI_PATH, Cookies
from app.people.guard import Guard
from app.people.rules import ANYONE, FROM_ELSEWHERE
from app.problems import log_failure
from app.routes.people import own_address
from app.routes.services import Wired
from app.web.render import html_response
from app.wiring import Services
from core.errors import EduModError, InvalidInput, SetupError, Unauthenticated
from core.store.people.audit import AuditEntry

if TYPE_CHECKING:
    from app.doors.lti.launch import Launch

router = APIRouter(include_in_schema=False)

SENT = ("iss", "login_hint", "target_link_uri", "client_id", "lti_message_hint", "lti_deployment_id")
"""Parameters of a login."""
MAX_CHARS = 20_000
IN_WINDOW = "window"
"""The parameter of a login that was sent from our own page in a frame, by a click."""

Handler = Callable[[Request, Services], Awaitable[Response]]


def _in_frame(route: Handler) -> Handler:
    """A route whose pages a platform shows in a frame, errors included."""

    @wraps(route)
    async def handle(request: Request, services: Services) -> Response:
        try:
            return await route(request, services)
        except EduModError as error:
            log_failure(error)
            return await _page(error.status, error=error.public)

    return handle


@router.get(KEYS, dependencies=[ANYONE])
async def own_keys(services: Wired) -> dict[str, Any]:
    """The public key that this service's messages to platforms are signed with."""
    _demand_library()
    from app.doors.lti.signing import ToolKey

    return (await ToolKey.of(services.store)).jwks()


@router.api_route(LOGIN, methods=["GET", "POST"], dependencies=[FROM_ELSEWHERE], response_model=None)
@_in_frame
async def login(request: Request, services: Wired) -> Response:
    """A platform begins here. In a frame, whose cookies a browser may block, a button opens a window for the rest."""
    _demand_library()
    from app.doors.lti.launch import begin_login

    sent = await _parameters(request, (*SENT, IN_WINDOW))
    target = urlsplit(sent.get("target_link_uri", "")).path
    path = DEEP_LINK if target == DEEP_LINK else LAUNCH
    is_window = request.headers.get("sec-fetch-dest", "") == "document" or IN_WINDOW in sent
    if not is_window and path == LAUNCH and sent.get("iss"):
        return await _page(200, window=f"{LOGIN}?{urlencode({**sent, IN_WINDOW: '1'})}")
    url, begun = await begin_login(services.store, sent, base_of(request) + path)
    response = RedirectResponse(url, 303)
    value = {"state": begun.state, "nonce": begun.nonce, "platform": begun.platform, "target": target}
    (await _cookies(request, services)).set_login(response, begun.cookie, value)
    return response


@router.post(LAUNCH, dependencies=[FROM_ELSEWHERE], response_model=None)
@_in_frame
async def launch(request: Request, services: Wired) -> Response:
    """A platform's message: its bearer enters the course, and the browser is signed in."""
    message, target = await _message(request, services)
    if message.is_choice:
        return await _choice(request, services, message)
    platform, link = message.platform, message.link
    subject = str(message.claims["sub"])
    person = await services.store.lti.enter(platform.id, subject, message.name, link.course_id, message.role)
    services.store.audit.note(AuditEntry(person, "lti.enter", link.course_id, details={"role": message.role.value}))
    response = RedirectResponse("/" if target.startswith(LTI_PATH) else own_address(target), 303)
    session = await services.store.sessions.begin(person.id)
    (await _cookies(request, services)).set_session(response, request, session)
    if (url := message.roster_url) is not None:
        from app.doors.lti.roster import read_if_due

        response.background = BackgroundTask(read_if_due, services.store, link, url)
    return response


@router.post(DEEP_LINK, dependencies=[FROM_ELSEWHERE], response_model=None)
@_in_frame
async def choose(request: Request, services: Wired) -> Response:
    """The same for a platform whose staff add a link to their course."""
    message, _ = await _message(request, services)
    if not message.is_choice:
        raise InvalidInput("The learning platform asks for no link. Enter at the address of the launch.")
    return await _choice(request, services, message)


async def _message(request: Request, services: Services) -> tuple[Launch, str]:
    """The verified message, and where its login wanted to go."""
    _demand_library()
    from app.doors.lti.launch import finish_login

    sent = await _parameters(request, ("state", "id_token", "error"))
    if "state" not in sent or ("id_token" not in sent and "error" not in sent):
        raise InvalidInput("A launch needs `state` and `id_token`, as a learning platform sends them.")
    if "error" in sent:
        raise Unauthenticated(f"The learning platform did not let you in. {AGAIN}")
    name = Login(sent["state"], "", "").cookie
    begun = (await _cookies(request, services)).login(request.scope, name)
    if begun is None or begun["state"] != sent["state"]:
        raise Unauthenticated(f"This began in another browser, too long ago, or its cookies are blocked. {AGAIN}")
    own = Login(begun["state"], begun["nonce"], begun["platform"])
    message = await finish_login(services.store, request.app.state.platform_keys, own, sent["id_token"])
    return message, begun["target"]


async def _choice(request: Request, services: Services, message: Launch) -> Response:
    from app.doors.lti.choice import choice_response
    from app.doors.lti.signing import ToolKey

    stored = await services.store.courses.get(message.link.course_id)
    title = f"Ask about {stored.course.title or stored.id}"
    url, signed = choice_response(message, await ToolKey.of(services.store), title, base_of(request))
    parts = urlsplit(url)
    # The platform may lead on from there to another of its hosts.
    forms = f"{parts.scheme}://{parts.netloc} https:"
    return await _page(200, forms=forms, choice={"url": url, "token": signed, "title": title})


async def _page(status: int, forms: str = "'self'", **values: Any) -> Response:
    """A page that platforms may show in a frame: it holds nothing of a session, and buttons open a window."""
    parts = {"window": None, "choice": None, "error": None} | values
    response = await html_response("lti.html", status, **parts)
    response.headers["Content-Security-Policy"] = policy_of(nonce(), "*", forms)
    return response


async def _parameters(request: Request, names: tuple[str, ...]) -> dict[str, str]:
    """Those of the query or the form. Raises `InvalidInput` for one that is far too long."""
    given = request.query_params if request.method == "GET" else await request.form()
    sent = {name: value for name in names if isinstance(value := given.get(name), str) and value}
    if any(len(value) > MAX_CHARS for value in sent.values()):
        raise InvalidInput("A parameter of the learning platform is too long.")
    return sent


async def _cookies(request: Request, services: Services) -> Cookies:
    guard: Guard = request.app.state.guard
    return await guard.cookies(services.store)


def _demand_library() -> None:
    try:
        import jwt.algorithms

        if not jwt.algorithms.has_crypto:
            raise ImportError
    except ImportError as error:
        raise SetupError("Entering from learning platforms needs PyJWT: pip install 'edumod[lti]'") from error
