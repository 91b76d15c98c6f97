"""The console as ``dibs.http`` sees it: a request of a browser comes in, a page goes out."""

from urllib.parse import quote, urlencode

from dibs.console import assets, pages
from dibs.console.errors import Refusal, message_of, status_of
from dibs.console.exchange import Exchange, Services
from dibs.console.routes import PUBLIC, ROUTES
from dibs.console.signing import session_cookie
from dibs.errors import DibsError
from dibs.http.auth import Authenticator
from dibs.http.messages import Request, Response
from dibs.http.routing import Match, MethodNotAllowed, Router

_ROUTER = Router(ROUTES)
_TITLES = {403: "Not allowed", 404: "Not found", 409: "Refused", 429: "Too many requests", 503: "Not available"}

_INSTEAD = (("hx-reselect", ".problem"), ("hx-reswap", "innerHTML"))
"""Makes htmx show the problem in the place of what it asked for, whatever part of the answer it wanted."""

Headers = tuple[tuple[str, str], ...]


class Console:
    """The pages for browsers."""

    mount = "/console"
    title = "Console"
    public_paths = frozenset(assets.names().values())
    anonymous_is_admin = True
    strict_paths = False
    checks_media_types = True
    secret_nouns = frozenset[str]()

    def __init__(self, services: Services) -> None:
        self._services = services

    @property
    def authenticator(self) -> Authenticator:
        """See http.messages.Pages."""
        return self._services.sign_in.authenticator

    def answer(self, request: Request) -> Response:
        """See http.messages.Mounted."""
        encodings = request.headers.get("accept-encoding", "")
        if request.path.startswith(f"{assets.PATH}/"):
            return _asset(request.path, encodings)
        exchange = Exchange(request, self._services, {})
        try:
            response = self._handle(exchange)
        except Refusal as refusal:
            response = _error(exchange, refusal.status, str(refusal))
        except DibsError as error:
            response = _error(exchange, status_of(error), message_of(error, exchange.machines))
        return response if response.stream is not None else pages.compressed(response, encodings)

    def refuse(self, request: Request | None, status: int, message: str, headers: Headers = ()) -> Response:
        """See http.messages.Mounted. The page is plain: what failed may be the rendering or the database."""
        body = pages.render("plain.html", {"title": _TITLES.get(status, "Failed"), "message": message})
        return pages.page_response(status, body, headers)

    def _handle(self, exchange: Exchange) -> Response:
        request = exchange.request
        found = _ROUTER.resolve("GET" if request.method == "HEAD" else request.method, request.path)
        if request.actor.user is None and request.path not in PUBLIC:
            return _ask_to_sign_in(exchange)
        if isinstance(found, MethodNotAllowed):
            raise Refusal(405, f"{request.path} allows only {', '.join(found.allowed)}.")
        if not isinstance(found, Match):
            raise Refusal(404, "There is no such page.")
        exchange.arguments = found.arguments
        return self._renewed(exchange, found.route.handler(exchange))

    def _renewed(self, exchange: Exchange, response: Response) -> Response:
        """Let a session that is in use not end in the middle of the work."""
        if not exchange.cookie or exchange.actor.user is None:
            return response
        session = self._services.sign_in.renewed(exchange.cookie)
        if session is None or any(name == "set-cookie" for name, _ in response.headers):
            return response
        return Response(response.status, response.body, (*response.headers, *session_cookie(exchange, session)))


def _ask_to_sign_in(exchange: Exchange) -> Response:
    """Send the browser to the form, and back to the same page after it."""
    request = exchange.request
    if request.headers.get("accept") == "text/event-stream":
        # A page cannot show a form that its stream gets. After 204 the browser does not connect again.
        return Response(204)
    here = quote(f"/console{request.path if request.path != '/' else ''}")
    if request.query:
        here += "?" + urlencode(request.query)
    target = exchange.url("/sign-in", next=here if request.method in ("GET", "HEAD") else None)
    # htmx follows this header with the whole page; it would put the form into a part of the page otherwise.
    return Response(200, b"", (("hx-redirect", target),)) if exchange.is_part else pages.redirect(target)


def _error(exchange: Exchange, status: int, message: str) -> Response:
    title = _TITLES.get(status, "Not possible")
    if exchange.is_part:
        # A part of a page says in its text what was refused: browsers log other statuses as errors of the page.
        body = pages.render("problem.html", {"title": title, "message": message})
        return pages.page_response(200, body, _INSTEAD)
    return exchange.page("error.html", status, title=title, message=message)


def _asset(path: str, encodings: str) -> Response:
    asset = assets.load(path)
    if asset is None:
        return pages.page_response(404, b"There is no such file.")
    headers = (*asset.headers, *pages.SECURITY_HEADERS, ("vary", "accept-encoding"))
    if "gzip" in encodings and len(asset.compressed) < len(asset.content):
        return Response(200, asset.compressed, (*headers, ("content-encoding", "gzip")))
    return Response(200, asset.content, headers)
