"""The ASGI application: passes each request to its dialect and sends the response.

The order of steps: find the mount, check path and query, admit (503), read the body (413, 408), and then, in a thread
of the pool, authenticate (401), check media types (415, 406) and call the dialect. The dialect formats every refusal,
so that all errors under one mount have the same format.
"""

import asyncio
import concurrent.futures
import contextvars
import logging
import time
from collections.abc import Callable, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from dibs.access.actor import Actor
from dibs.http import negotiation
from dibs.http.auth import ANONYMOUS, Authenticator, Refusal
from dibs.http.edge import logs, metrics, reading
from dibs.http.edge.admission import Admission
from dibs.http.edge.cors import Cors
from dibs.http.edge.limits import Limits
from dibs.http.edge.reading import BodyBudget, BodyReader, ClientGone, Receive, Scope, Unreadable
from dibs.http.edge.sending import RawHeaders, Send, encode_headers, send_answer
from dibs.http.edge.site import Site
from dibs.http.failures import Headers, plain_failure
from dibs.http.messages import Dialect, Request, Response
from dibs.http.request_id import HEADER, REQUEST_ID, choose_request_id

LOG = logging.getLogger(__name__)

_INTERNAL = "The server failed to answer. See its log for the id of this request."
_BUSY = "The server has too many requests. Please try again."
_LOGGED_PATH_MAX = 1000


def _nothing() -> None:
    """Do nothing: the default hook."""


class Application(Struct, frozen=True, kw_only=True):
    """The dialects and hooks that the shell serves.

    ``start_once`` runs before any ``start`` and ``stop_once`` after every ``stop``: once per server, in its only
    process or in the parent of its workers. ``start`` and ``stop`` run in each process that answers requests.
    """

    dialects: Sequence[Dialect]
    cors: Cors | None = None
    """The allowed origins of browsers; None when none is allowed."""
    ready: Callable[[], list[str]] = list
    """Returns the reasons why requests cannot be answered now; empty when they can. May be slow."""
    start: Callable[[], None] = _nothing
    stop: Callable[[], None] = _nothing
    start_once: Callable[[], None] = _nothing
    stop_once: Callable[[], None] = _nothing


class _Exchange(Struct):
    """One request in the shell, with the values for its access log line."""

    method: str
    raw_path: bytes
    query_string: bytes
    path: str
    headers: dict[str, str]
    request_id: str
    dialect: Dialect | None
    actor: Actor | None = None
    started: float = field(default_factory=time.perf_counter)


_Answer = tuple[Response, RawHeaders]


class Shell:
    """The ASGI application over an Application."""

    def __init__(self, application: Application, authenticator: Authenticator, limits: Limits) -> None:
        self._application = application
        self._authenticator = authenticator
        self._limits = limits
        self._dialects = {dialect.mount: dialect for dialect in application.dialects}
        self._site = Site(application.dialects, application.ready)
        self._admission = Admission(limits.threads, limits.queue_limit)
        self._budget = BodyBudget(limits.buffered_bytes_max)
        self._pool = concurrent.futures.ThreadPoolExecutor(limits.threads, thread_name_prefix="request")

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
        self._pool.shutdown(wait=False, cancel_futures=True)
        await asyncio.to_thread(self._application.stop)
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
        await send_answer(send, response, raw_headers)
        _record(exchange, response.status)

    def _open(self, scope: Scope) -> _Exchange:
        headers = reading.read_headers(scope)
        path = reading.read_path(scope["raw_path"])
        return _Exchange(
            method=scope["method"],
            raw_path=scope["raw_path"],
            query_string=scope["query_string"],
            path=path,
            headers=headers,
            request_id=choose_request_id(headers.get(HEADER)),
            dialect=self._dialects.get("/" + path[1:].partition("/")[0]),
        )

    async def _answer(self, exchange: _Exchange, scope: Scope, receive: Receive) -> _Answer:
        try:
            reading.check_path(exchange.raw_path)
            origin = reading.read_origin(scope, exchange.headers)
            if exchange.dialect is None:
                response = await self._site.answer(exchange.method, exchange.path, origin)
                return response, encode_headers(response, exchange.request_id)
            return await self._ask(exchange, exchange.dialect, origin, receive)
        except Unreadable as problem:
            return self._refuse(exchange, problem.status, problem.message, problem.headers)

    async def _ask(self, exchange: _Exchange, dialect: Dialect, origin: str, receive: Receive) -> _Answer:
        query = reading.read_query(exchange.query_string)
        if self._admission.full:
            return self._shed(exchange)
        body_reader = BodyReader(self._limits, self._budget)
        try:
            body = await body_reader.read(exchange.headers, receive)
            if self._admission.full:
                return self._shed(exchange)
            request = Request(
                method=exchange.method,
                path=_path_below(dialect, exchange.path),
                query=query,
                headers=exchange.headers,
                body=body,
                base_url=origin + dialect.mount,
                request_id=exchange.request_id,
                actor=ANONYMOUS,
            )
            return await self._run_in_pool(exchange, dialect, request)
        finally:
            body_reader.release()

    async def _run_in_pool(self, exchange: _Exchange, dialect: Dialect, request: Request) -> _Answer:
        loop = asyncio.get_running_loop()
        context = contextvars.copy_context()
        self._admission.enter()
        try:
            return await loop.run_in_executor(self._pool, context.run, self._work, exchange, dialect, request)
        finally:
            self._admission.leave()

    def _work(self, exchange: _Exchange, dialect: Dialect, request: Request) -> _Answer:
        """Answer a request in a thread of the pool."""
        try:
            response = self._identify_and_answer(exchange, dialect, request)
            if self._application.cors is not None:
                response = self._application.cors.apply(request, response)
            return response, encode_headers(response, exchange.request_id)
        except Exception:
            LOG.exception("%s %s failed.", request.method, request.path)
            return self._refuse(exchange, 500, _INTERNAL)

    def _identify_and_answer(self, exchange: _Exchange, dialect: Dialect, request: Request) -> Response:
        if request.path not in dialect.public_paths:
            found = self._authenticator.authenticate(request.headers, anonymous_is_admin=dialect.anonymous_is_admin)
            if isinstance(found, Refusal):
                return dialect.refuse(request, found.status, found.message, found.headers)
            exchange.actor = found
            request = replace(request, actor=found)
        if not dialect.checks_media_types:
            problem = negotiation.find_problem(request.headers, bool(request.body))
            if problem is not None:
                return dialect.refuse(request, problem.status, problem.message)
        return dialect.answer(request)

    def _shed(self, exchange: _Exchange) -> _Answer:
        metrics.SHED.inc()
        return self._refuse(exchange, 503, _BUSY, (("retry-after", "1"),))

    def _refuse(self, exchange: _Exchange, status: int, message: str, headers: Headers = ()) -> _Answer:
        """Return an error in the format of the dialect; in the general format without a dialect or when it fails."""
        if exchange.dialect is not None:
            try:
                response = exchange.dialect.refuse(None, status, message, headers)
                return response, encode_headers(response, exchange.request_id)
            except Exception:
                LOG.exception("%s failed to format an error.", exchange.dialect.title)
        response = plain_failure(status, message, headers, exchange.request_id)
        return response, encode_headers(response, exchange.request_id)


def _path_below(dialect: Dialect, path: str) -> str:
    below = path[len(dialect.mount) :]
    return (below if dialect.strict_paths else below.rstrip("/")) or "/"


def _record(exchange: _Exchange, status: int) -> None:
    """Count the request and log its access line; for health probes only at debug level."""
    seconds = time.perf_counter() - exchange.started
    label = exchange.dialect.mount if exchange.dialect else "site"
    metrics.REQUESTS.labels(label, exchange.method, status).inc()
    metrics.SECONDS.labels(label, exchange.method).observe(seconds)
    level = logging.INFO if exchange.dialect or status >= 400 else logging.DEBUG
    if not logs.ACCESS.isEnabledFor(level):
        return
    path = exchange.raw_path[:_LOGGED_PATH_MAX].decode("latin-1")
    milliseconds = round(seconds * 1000, 3)
    fields = {
        "method": exchange.method,
        "path": path,
        "status": status,
        "milliseconds": milliseconds,
        "user": exchange.actor.user if exchange.actor else None,
        "project": exchange.actor.project if exchange.actor else None,
    }
    logs.ACCESS.log(
        level,
        "%s %s %d %.1f ms",
        exchange.method,
        path,
        status,
        milliseconds,
        extra=fields,
    )
