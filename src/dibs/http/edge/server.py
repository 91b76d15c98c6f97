"""Run the shell under uvicorn: in this process, or in spawned workers that share one socket."""

import contextlib
import logging
import signal
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any, cast

import uvicorn
from msgspec import Struct, field
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess
from uvicorn.supervisors.multiprocess import Process

from dibs.http.edge import metrics
from dibs.http.edge.guards.limits import Limits
from dibs.http.edge.guards.proxies import TrustedProxies
from dibs.http.edge.protocol import limited_protocol
from dibs.http.edge.shell import Shell

LOG = logging.getLogger(__name__)

START_TIMEOUT_SECONDS = 120
"""Time for a worker to answer its first ping. On a loaded machine, imports alone take longer than uvicorn's 5 s."""

ShellFactory = Callable[[], Shell]
"""Builds the shell in the process that serves it; must be picklable for several workers."""


class ServerOptions(Struct, frozen=True, kw_only=True):
    """Options of the server."""

    limits: Limits
    proxies: TrustedProxies = field(default_factory=TrustedProxies)
    workers: int = 1
    stop_timeout_seconds: int = 30
    tls_cert: str = ""
    tls_key: str = ""


class OneProcess(uvicorn.Server):
    """uvicorn's server, which returns after a signal, so that the caller can run its stop hooks."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals without raising them again at the end, as uvicorn does: that would skip the stop hooks."""
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class ManyProcesses(Multiprocess):
    """uvicorn's supervisor of spawned workers, which waits for slow starts and drops the metrics of dead workers."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket]) -> None:
        super().__init__(config, sockets)
        self._start_deadlines: dict[Process, float] = {}

    def keep_subprocess_alive(self) -> None:
        """Restart dead workers. uvicorn would kill a worker that is still starting, so it does not see these."""
        before = {process.pid for process in self.processes}
        starting = [process for process in self.processes if self._is_starting(process)]
        self.processes = [process for process in self.processes if process not in starting]
        try:
            super().keep_subprocess_alive()
        finally:
            self.processes += starting
        self._start_deadlines = {
            process: deadline for process, deadline in self._start_deadlines.items() if process in self.processes
        }
        for pid in before - {process.pid for process in self.processes}:
            if pid is not None:
                LOG.error("Worker %d died and was replaced.", pid)
                metrics.forget_worker(pid)

    def _is_starting(self, process: Process) -> bool:
        """Return True for a new worker until it answers its first ping, its time to start has passed, or it is dead."""
        if process not in self._start_deadlines:
            self._start_deadlines[process] = time.monotonic() + START_TIMEOUT_SECONDS
            process.parent_conn.send(b"ping")
        if time.monotonic() > self._start_deadlines[process] or not process.process.is_alive():
            return False
        if not process.parent_conn.poll():
            return True
        process.parent_conn.recv()
        self._start_deadlines[process] = 0
        return False

    @property
    def failed(self) -> bool:
        """Return True when a worker could not start. It would fail again, so the server stops."""
        return any(process.exitcode == STARTUP_FAILURE for process in self.processes)


def uvicorn_config(factory: ShellFactory, options: ServerOptions) -> uvicorn.Config:
    """Return the configuration for one process and for several."""
    return uvicorn.Config(
        app=cast(Any, factory),
        factory=True,
        loop="uvloop",
        http=cast(Any, limited_protocol(options.limits, options.proxies)),
        # The shell reads the headers of proxies: uvicorn would believe every client on this machine.
        proxy_headers=False,
        ws="none",
        lifespan="on",
        interface="asgi3",
        log_config=None,
        access_log=False,
        server_header=False,
        workers=options.workers,
        timeout_keep_alive=cast(int, options.limits.keep_alive_seconds),
        timeout_graceful_shutdown=options.stop_timeout_seconds,
        ssl_certfile=options.tls_cert or None,
        ssl_keyfile=options.tls_key or None,
    )


def serve(factory: ShellFactory, options: ServerOptions, sock: socket.socket) -> bool:
    """Serve until a signal; return False when the server could not start."""
    config = uvicorn_config(factory, options)
    if options.workers == 1:
        server = OneProcess(config)
        server.run(sockets=[sock])
        return server.started
    supervisor = ManyProcesses(config, [sock])
    try:
        supervisor.run()
    finally:
        # Python waits at exit for running children, so they must be terminated after any failure.
        supervisor.terminate_all()
    return not supervisor.failed
