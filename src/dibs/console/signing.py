"""Sign in, switch the project, and sign out."""

import threading

from dibs.console import pages
from dibs.console.exchange import Exchange
from dibs.http.auth import Refusal
from dibs.http.auth.sessions import COOKIE, Session
from dibs.http.edge.guards.attempts import Attempts
from dibs.http.messages import Response

_ATTEMPTS = Attempts()
_LOCK = threading.Lock()
_SLOTS = threading.BoundedSemaphore(2)
"""Verifying a password is slow by design: guessers must not occupy every processor."""


def show_sign_in(exchange: Exchange) -> Response:
    """GET /sign-in"""
    if exchange.actor.user is not None:
        return pages.redirect(_next(exchange.query.get("next", "")))
    return _form(exchange, exchange.query.get("next", ""), ended=bool(exchange.cookie))


def sign_in(exchange: Exchange) -> Response:
    """POST /sign-in"""
    exchange.check_form()
    values = exchange.form
    address, name = exchange.request.address, values.get("user", "")
    with _LOCK:
        seconds = _ATTEMPTS.wait_seconds(address, name)
    if seconds:
        return _form(
            exchange, values.get("next", ""), 429, f"Too many attempts failed. Try again in {seconds} seconds."
        )
    with _SLOTS:
        found = exchange.services.sign_in.sign_in(values)
    with _LOCK:
        if isinstance(found, Session):
            _ATTEMPTS.succeeded(address, name)
        elif found.status == 401:
            _ATTEMPTS.failed(address, name)
    if isinstance(found, Refusal):
        return _form(exchange, values.get("next", ""), found.status, found.message)
    return pages.redirect(_next(values.get("next", "")), session_cookie(exchange, found))


def sign_out(exchange: Exchange) -> Response:
    """POST /sign-out"""
    exchange.check_form()
    return pages.redirect("/console/sign-in", session_cookie(exchange, Session(cookie="", seconds=0)))


def show_projects(exchange: Exchange) -> Response:
    """GET /projects"""
    found = exchange.services.sign_in.projects(exchange.cookie)
    if isinstance(found, Refusal):
        return exchange.page("error.html", found.status, title="Projects", message=found.message)
    return exchange.page("projects.html", projects=found)


def switch_project(exchange: Exchange) -> Response:
    """POST /projects"""
    exchange.check_form()
    found = exchange.services.sign_in.switch(exchange.cookie, exchange.form.get("project", ""))
    if isinstance(found, Refusal):
        return exchange.page("error.html", found.status, title="Projects", message=found.message)
    return pages.redirect("/console", session_cookie(exchange, found))


def session_cookie(exchange: Exchange, session: Session) -> tuple[tuple[str, str], ...]:
    """Return the header that makes the browser keep a session, or forget it."""
    secure = "; Secure" if exchange.request.base_url.startswith("https:") else ""
    value = f"{COOKIE}={session.cookie}; Path=/; Max-Age={session.seconds}; HttpOnly; SameSite=Strict{secure}"
    return (("set-cookie", value),)


def _form(exchange: Exchange, then: str, status: int = 200, problem: str = "", *, ended: bool = False) -> Response:
    return exchange.page("sign_in.html", status, next=_next(then), problem=problem, ended=ended)


def _next(path: str) -> str:
    """Return the page to show after signing in: one of the console, whatever the URL says."""
    safe = path.startswith("/console") and "\\" not in path and not path.startswith("/console/sign-in")
    return path if safe and path.isprintable() and path.isascii() else "/console"
