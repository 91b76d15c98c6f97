"""Build the HTTP server from settings: limits, authenticator, and the ASGI application of each process."""

import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial

from msgspec import Struct
from msgspec.structs import replace
from uvicorn.config import STARTUP_FAILURE

from dibs.http.edge.binding import is_loopback
from dibs.http.edge.cors import Cors
from dibs.http.edge.guards.browsers import BrowserGuard
from dibs.http.edge.guards.limits import SWITCH_SECONDS, Limits
from dibs.http.edge.guards.proxies import TrustedProxies
from dibs.http.edge.logs import configure_logs
from dibs.http.edge.reports import ask
from dibs.http.edge.server import ServerOptions
from dibs.http.edge.shell import Application, Perimeter, Shell
from dibs.settings import Settings
from dibs.settings.authentication import authenticator_from

LOG = logging.getLogger(__name__)

Builder = Callable[[Settings], Application]
"""A function of dibs.wiring that builds an application."""


def limits_from(settings: Settings) -> Limits:
    """Return the limits of one process."""
    return Limits(
        threads=settings.threads,
        queue_limit=settings.queue_limit,
        caller_limit=settings.caller_limit,
        connection_limit=settings.connection_limit,
        body_limit_bytes=settings.body_limit_bytes,
        body_timeout_seconds=settings.body_timeout_seconds,
        header_limit_bytes=settings.header_limit_bytes,
        header_timeout_seconds=settings.header_timeout_seconds,
        keep_alive_seconds=settings.keep_alive_seconds,
    )


def options_from(settings: Settings) -> ServerOptions:
    """Return the options of the HTTP server."""
    return ServerOptions(
        limits=limits_from(settings),
        proxies=TrustedProxies.parse(settings.trusted_proxies),
        workers=settings.workers,
        stop_timeout_seconds=settings.stop_timeout_seconds,
        tls_cert=settings.tls_cert,
        tls_key=settings.tls_key,
    )


def perimeter_from(settings: Settings) -> Perimeter:
    """Return which clients the server believes and accepts."""
    guard = None
    if settings.auth == "noauth":
        cors = Cors.from_lists(settings.cors_allowed_origin, settings.cors_allow_headers)
        on_loopback = not settings.address.path and is_loopback(settings.address)
        guard = BrowserGuard(loopback_only=on_loopback, origins=cors.origins if cors is not None else ())
    proxies = TrustedProxies.parse(settings.trusted_proxies)
    return Perimeter(authenticator=authenticator_from(settings), proxies=proxies, browser_guard=guard)


def build_shell(settings: Settings, application: Application) -> Shell:
    """Return the ASGI application of this process, whose threads take short turns from now on."""
    sys.setswitchinterval(SWITCH_SECONDS)
    return Shell(application, perimeter_from(settings), limits_from(settings))


class SameProcess(Struct, frozen=True):
    """Builds the ASGI application of a single-process server around the application that is already started."""

    settings: Settings
    application: Application

    def __call__(self) -> Shell:
        return build_shell(self.settings, _also_ready(self.application, self.application.ready_once))


class SpawnedWorker(Struct, frozen=True):
    """Builds the ASGI application in a worker process. It is pickled, so ``build`` must be a module-level function."""

    settings: Settings
    build: Builder
    reports: str
    """Where the parent says whether what runs only there is ready."""

    def __call__(self) -> Shell:
        configure_logs(self.settings.log_format, self.settings.log_level)
        threading.Thread(target=_stop_with_parent, name="parent-watch", daemon=True).start()
        try:
            application = self.build(self.settings)
            return build_shell(self.settings, _also_ready(application, partial(ask, self.reports)))
        except Exception:
            # With any other exit code, the supervisor would restart the worker for ever.
            LOG.exception("The worker process cannot start.")
            sys.exit(STARTUP_FAILURE)


def _also_ready(application: Application, once: Callable[[], list[str]]) -> Application:
    """Return the application with the reasons against readiness of the part that runs once per server."""
    return replace(application, ready=lambda: [*application.ready(), *once()])


def _stop_with_parent() -> None:
    """Stop this worker when its parent dies.

    A killed parent cannot stop its workers, and a surviving worker keeps the port from the next server.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        LOG.error("The parent of this worker process died; the worker stops.")
        os.kill(os.getpid(), signal.SIGTERM)
