"""The ASGI application: passes each request to its dialect and sends the response.

The order of steps: find the mount, check path and query, authenticate by the headers (401), check the caller's limit
(429), wait for the caller's other large bodies, read the body (413, 408), wait for a thread (503), and there check
media types (415, 406) and call the dialect. Nothing is read or kept for a caller that is not known. The dialect formats
every refusal, so that all errors under one mount have the same format.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from dibs.access.actor import Actor
from dibs.access.processor_time import own_seconds
from dibs.access.request_id import HEADER, REQUEST_ID, choose_request_id
from dibs.http import negotiation
from dibs.http.auth import ANONYMOUS, Authenticator, Refusal
from dibs.http.edge import logs, metrics, reading
from dibs.http.edge.cors import Cors
from dibs.http.edge.guards.admission import Admission, ServerFull
from dibs.http.edge.guards.browsers import BrowserGuard
from dibs.http.edge.guards.callers import Caller, CallerBusy, CallerLimit
from dibs.http.edge.guards.identity import Identity
from dibs.http.edge.guards.limits import REFUSAL_PAUSE_SECONDS, Limits
from dibs.http.edge.guards.proxies import TrustedProxies
from dibs.http.edge.guards.refusals import Refusals
from dibs.http.edge.guards.uploads import Uploads
from dibs.http.edge.protocol import STREAMING
from dibs.http.edge.reading import BodyBudget, BodyReader, ClientGone, Receive, Scope, Unreadable
from dibs.http.edge.recording import Exchange, record
from dibs.http.edge.sending import RawHeaders, Send, encode_headers, send_answer, send_stream
from dibs.http.edge.site import Site
from dibs.http.edge.threads import Threads
from dibs.http.failures import Headers, plain_failure
from dibs.http.messages import Dialect, Mounted, Pages, Request, Response

LOG = logging.getLogger(__name__)

_INTERNAL = "The server failed to answer. See its log for the id of this request."
_FULL = "The server has too many requests. Please try again."
_STREAMS = "You have too many event streams at the same time. Please close one of them."
_BUSY = "You have too many requests at the same time. Please try again."
_RETRY = (("retry-after", str(REFUSAL_PAUSE_SECONDS)),)


def _nothing() -> None:
    """Do nothing: the default hook."""


class Application(Struct, frozen=True, kw_only=True):
    """The dialects and hooks that the shell serves.

    ``start_once`` runs before any ``start`` and ``stop_once`` after every ``stop``: once per server, in its only
    process or in the parent of its workers. ``start`` and ``stop`` run in each process that answers requests.
    """

    dialects: Sequence[Dialect]
    console: Pages | None = None
    """The pages for browsers; None for a process that only answers calls."""
    cors: Cors | None = None
    """The allowed origins of browsers; None when none is allowed."""
    ready: Callable[[], list[str]] = list
    """Returns the reasons why requests cannot be answered now; empty when they can. May be slow."""
    site_metrics: Callable[[], bytes] = bytes
    """Returns metrics about the site in Prometheus' text format. May be slow."""
    ready_once: Callable[[], list[str]] = list
    """Returns the same about what ``start_once`` started, in the process that called it. At once."""
    start: Callable[[], None] = _nothing
    stop: Callable[[], None] = _nothing
    start_once: Callable[[], None] = _nothing
    stop_once: Callable[[], None] = _nothing


_Answer = tuple[Response, RawHeaders]


class Perimeter(Struct, frozen=True, kw_only=True):
    """Which clients the shell believes and accepts."""

    authenticator: Authenticator
    proxies: TrustedProxies = field(default_factory=TrustedProxies)
    browser_guard: BrowserGuard | None = None
    """None with an authentication method that a page of another site cannot use."""


class Shell:
    """The ASGI application over an Application."""

    def __init__(self, application: Application, perimeter: Perimeter, limits: Limits) -> None:
        self._application = application
        self._perimeter = perimeter
        self._limits = limits
        self._console = application.console
        mounted: list[Mounted] = [*application.dialects, *([self._console] if self._console is not None else [])]
        self._mounted = {each.mount: each for each in mounted}
        self._site = Site(application.dialects, application.ready, application.site_metrics)
        self._identity = Identity(perimeter.authenticator)
        self._sessions = Identity(self._console.authenticator) if self._console is not None else self._identity
        self._callers = CallerLimit(limits.caller_limit)
        self._streams = CallerLimit(limits.streams_of_caller)
        self._refusals = Refusals()
        self._admission = Admission(limits)
        self._uploads = Uploads(limits)
        self._budget = BodyBudget(limits)
        self._threads = Threads(limits.threads, "request")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI scope."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        else:
            await self._serve(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            await asyncio.to_thread(self._application.start)
        except Exception:
            LOG.exception("The application failed to start.")
            await send({"type": "lifespan.startup.failed", "message": ""})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        self._identity.close()
        self._sessions.close()
        self._threads.close()
        self._site.close()
        await asyncio.to_thread(self._application.stop)
        await asyncio.to_thread(self._threads.join)
        await send({"type": "lifespan.shutdown.complete"})

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange = self._open(scope)
        REQUEST_ID.set(exchange.request_id)
        try:
            response, raw_headers = await self._answer(exchange, scope, receive)
        except ClientGone:
            return
        except asyncio.CancelledError:
            # The stop timeout has passed. The request may or may not have been executed.
            response, raw_headers = self._refuse(
                exchange, 503, "The server is stopping and did not finish this request."
            )
        if response.stream is not None:
            await self._stream(exchange, scope, receive, send, response, raw_headers)
            return
        await send_answer(send, response, raw_headers)
        record(exchange, response.status)

    async def _stream(
        self,
        exchange: Exchange,
        scope: Scope,
        receive: Receive,
        send: Send,
        response: Response,
        raw_headers: RawHeaders,
    ) -> None:
        """Send a response that goes on. It has no thread, and only few of them may belong to one caller."""
        assert response.stream is not None
        try:
            with self._streams.counted(Caller.of(exchange.peer.address, exchange.actor or ANONYMOUS)):
                # The access line is for the beginning, and a stopping server ends the connection.
                record(exchange, response.status)
                scope[STREAMING] = True
                await send_stream(send, receive, response, raw_headers)
        except CallerBusy:
            metrics.THROTTLED.inc()
            refusal, headers = self._refuse(exchange, 429, _STREAMS, _RETRY)
            await send_answer(send, refusal, headers)
            record(exchange, 429)
        finally:
            response.stream.close()

    def _open(self, scope: Scope) -> Exchange:
        headers = reading.read_headers(scope)
        path = reading.read_path(scope["raw_path"])
        return Exchange(
            method=scope["method"],
            raw_path=scope["raw_path"],
            query_string=scope["query_string"],
            path=path,
            headers=headers,
            peer=self._perimeter.proxies.peer(scope, headers),
            request_id=choose_request_id(headers.get(HEADER)),
            dialect=self._console if path == "/" and _prefers_html(headers) else self._mount_of(path),
        )

    def _mount_of(self, path: str) -> Mounted | None:
        return self._mounted.get("/" + path[1:].partition("/")[0])

    async def _answer(self, exchange: Exchange, scope: Scope, receive: Receive) -> _Answer:
        try:
            reading.check_path(exchange.raw_path)
            origin = reading.read_origin(scope, exchange.peer)
            guard = self._perimeter.browser_guard
            problem = guard.problem(exchange.method, exchange.headers) if guard is not None else None
            if problem is not None:
                return self._refuse(exchange, 403, problem)
            if exchange.dialect is None:
                response = await self._site.answer(exchange.method, exchange.path, origin)
                return response, encode_headers(response, exchange.request_id)
            return await self._ask(exchange, exchange.dialect, origin, receive)
        except Unreadable as unreadable:
            return self._refuse(exchange, unreadable.status, unreadable.message, unreadable.headers)
        except CallerBusy:
            metrics.THROTTLED.inc()
            await self._refusals.delay(exchange.peer.address)
            return self._refuse(exchange, 429, _BUSY, _RETRY)
        except ServerFull:
            metrics.SHED.inc()
            return self._refuse(exchange, 503, _FULL, _RETRY)

    async def _ask(self, exchange: Exchange, dialect: Mounted, origin: str, receive: Receive) -> _Answer:
        request = Request(
            method=exchange.method,
            path=_path_below(dialect, exchange.path),
            query=reading.read_query(exchange.query_string),
            headers=exchange.headers,
            base_url=origin + dialect.mount,
            request_id=exchange.request_id,
            actor=ANONYMOUS,
            address=exchange.peer.address,
        )
        caller = Caller(exchange.peer.address)
        if request.path not in dialect.public_paths:
            found = await self._identify(exchange, dialect, request)
            if isinstance(found, Refusal):
                return self._turn_away(exchange, dialect, request, found)
            exchange.actor = found
            caller = Caller.of(exchange.peer.address, found)
        with self._callers.counted(caller):
            if not reading.announces_large_body(request.headers):
                return await self._read_and_run(exchange, dialect, request, caller, receive)
            async with self._uploads.turn(caller):
                return await self._read_and_run(exchange, dialect, request, caller, receive)

    async def _identify(self, exchange: Exchange, dialect: Mounted, request: Request) -> Actor | Refusal:
        identity = self._sessions if dialect is self._console else self._identity
        try:
            return await identity.identify(
                request.headers, exchange.peer.address, anonymous_is_admin=dialect.anonymous_is_admin
            )
        except Exception:
            LOG.exception("Authentication failed with an error.")
            return Refusal(500, _INTERNAL)

    def _turn_away(self, exchange: Exchange, dialect: Mounted, request: Request, refusal: Refusal) -> _Answer:
        """Answer a request whose body is not read. After "Expect: 100-continue" the client may not send it at all."""
        close = (("connection", "close"),) if "expect" in request.headers else ()
        response = dialect.refuse(request, refusal.status, refusal.message, (*refusal.headers, *close))
        return self._finish(exchange, request, response)

    async def _read_and_run(
        self, exchange: Exchange, dialect: Mounted, request: Request, caller: Caller, receive: Receive
    ) -> _Answer:
        reader = BodyReader(self._limits, self._budget, caller)
        try:
            body = await reader.read(request.headers, receive)
            complete = replace(request, body=body, actor=exchange.actor or ANONYMOUS)
            async with self._admission.turn(caller):
                answer, seconds = await self._threads.run(self._work, exchange, dialect, complete)
                self._admission.charge(caller, seconds, len(body) + len(answer[0].body))
                return answer
        finally:
            reader.release()

    def _work(self, exchange: Exchange, dialect: Mounted, request: Request) -> tuple[_Answer, float]:
        """Answer a request in a thread of the pool; return the processor seconds that it took, too."""
        began = own_seconds()
        try:
            answer = self._finish(exchange, request, _check_and_answer(dialect, request))
        except Exception:
            LOG.exception("%s %s failed.", request.method, logs.loggable_path(exchange.raw_path, dialect))
            answer = self._refuse(exchange, 500, _INTERNAL)
        return answer, own_seconds() - began

    def _finish(self, exchange: Exchange, request: Request, response: Response) -> _Answer:
        if self._application.cors is not None:
            response = self._application.cors.apply(request, response)
        return response, encode_headers(response, exchange.request_id)

    def _refuse(self, exchange: Exchange, status: int, message: str, headers: Headers = ()) -> _Answer:
        """Return an error in the format of the dialect; in the general format without a dialect or when it fails."""
        if exchange.dialect is not None:
            try:
                response = exchange.dialect.refuse(None, status, message, headers)
                return response, encode_headers(response, exchange.request_id)
            except Exception:
                LOG.exception("%s failed to format an error.", exchange.dialect.title)
        response = plain_failure(status, message, headers, exchange.request_id)
        return response, encode_headers(response, exchange.request_id)


def _prefers_html(headers: Mapping[str, str]) -> bool:
    accept = headers.get("accept", "")
    return negotiation.preferred(accept, ("application/json", "text/html")) == "text/html"


def _path_below(dialect: Mounted, path: str) -> str:
    below = path[len(dialect.mount) :]
    return (below if dialect.strict_paths else below.rstrip("/")) or "/"


def _check_and_answer(dialect: Mounted, request: Request) -> Response:
    if not dialect.checks_media_types:
        problem = negotiation.find_problem(request.headers, bool(request.body))
        if problem is not None:
            return dialect.refuse(request, problem.status, problem.message)
    return dialect.answer(request)
