"""From settings to the HTTP edge: limits, authenticator, shell."""

import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass

from uvicorn.config import STARTUP_FAILURE

from dibs.http.auth import Authenticator
from dibs.http.auth.basic import BasicAuth
from dibs.http.auth.noauth import NoAuth
from dibs.http.edge.limits import Limits
from dibs.http.edge.logs import configure_logs
from dibs.http.edge.server import ServerOptions
from dibs.http.edge.shell import Application, Shell
from dibs.settings import Settings

LOG = logging.getLogger(__name__)

Builder = Callable[[Settings], Application]
"""One of the functions of dibs.wiring."""


def limits_from(settings: Settings) -> Limits:
    """The bounds of one process."""
    return Limits(
        threads=settings.threads,
        queue_limit=settings.queue_limit,
        body_limit_bytes=settings.body_limit_bytes,
        body_timeout_seconds=settings.body_timeout_seconds,
        header_limit_bytes=settings.header_limit_bytes,
        header_timeout_seconds=settings.header_timeout_seconds,
        keep_alive_seconds=settings.keep_alive_seconds,
    )


def options_from(settings: Settings) -> ServerOptions:
    """How to serve."""
    return ServerOptions(
        limits=limits_from(settings),
        workers=settings.workers,
        stop_timeout_seconds=settings.stop_timeout_seconds,
        tls_cert=settings.tls_cert,
        tls_key=settings.tls_key,
    )


def authenticator_from(settings: Settings) -> Authenticator:
    """The way to find out who is asking."""
    if settings.auth == "http_basic":
        return BasicAuth(settings.auth_file)
    if settings.auth == "keystone":
        from dibs.http.auth.keystone import KeystoneAuth, ServiceUser

        user = ServiceUser(
            username=settings.keystone_username,
            password=settings.keystone_password,
            project=settings.keystone_project,
            user_domain=settings.keystone_user_domain,
            project_domain=settings.keystone_project_domain,
        )
        return KeystoneAuth(settings.keystone_url, user)
    return NoAuth()


def build_shell(settings: Settings, application: Application) -> Shell:
    """The ASGI application for this process."""
    return Shell(application, authenticator_from(settings), limits_from(settings))


@dataclass(frozen=True, slots=True)
class SameProcess:
    """Makes the shell of a server with one process, around the application that its hooks already know."""

    settings: Settings
    application: Application

    def __call__(self) -> Shell:
        return build_shell(self.settings, self.application)


@dataclass(frozen=True, slots=True)
class SpawnedWorker:
    """Makes the shell in a worker process; is pickled on its way there, holding settings and a module's function."""

    settings: Settings
    build: Builder

    def __call__(self) -> Shell:
        configure_logs(self.settings.log_format, self.settings.log_level)
        threading.Thread(target=_stop_when_the_parent_dies, name="parent-watch", daemon=True).start()
        try:
            return build_shell(self.settings, self.build(self.settings))
        except Exception:
            # The supervisor would restart a worker that fails in any other way, for ever.
            LOG.exception("This worker cannot start.")
            sys.exit(STARTUP_FAILURE)


def _stop_when_the_parent_dies() -> None:
    """A parent that was killed can stop nobody, and workers that outlive it keep its port from the next one."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        LOG.error("The parent of this worker died; it stops too.")
        os.kill(os.getpid(), signal.SIGTERM)
