"""A minimal dialect, and servers of it: in a thread for most tests, in processes for signals and workers."""

import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn

from dibs.documents.json_schema import Schema
from dibs.http.auth import Authenticator
from dibs.http.auth.noauth import NoAuth
from dibs.http.edge.binding import Address, bound_address, close_socket, open_socket, parse_address
from dibs.http.edge.guards.limits import Limits
from dibs.http.edge.logs import configure_logs
from dibs.http.edge.server import ServerOptions, serve, uvicorn_config
from dibs.http.edge.shell import Application, Perimeter, Shell
from dibs.http.messages import Dialect, Request, Response
from dibs.http.routing import Route

LARGE = 30_000_000
"""Size of a response that exceeds every socket buffer."""


@dataclass
class EchoDialect:
    """Echoes the request. ``/slow`` waits for the gate, ``/pause`` and ``/mark`` pause, ``/fail`` raises."""

    mount: str = "/echo"
    title: str = "Echo"
    public_paths: frozenset[str] = frozenset({"/", "/v1"})
    anonymous_is_admin: bool = True
    strict_paths: bool = False
    checks_media_types: bool = False
    secret_nouns: frozenset[str] = frozenset({"proofs"})
    operations: tuple[Route[str], ...] = (
        Route(
            method="PUT",
            path="/v1/things/{thing}",
            handler="put",
            since=7,
            summary="Keep a thing",
            query={"limit": {"type": "integer"}},
            body={"type": "object"},
            statuses={200: "kept"},
            answer={"title": "Thing", "type": "object"},
        ),
    )
    gate: threading.Event = field(default_factory=threading.Event)
    mark: Callable[[str], None] = print

    def answer(self, request: Request) -> Response:
        if request.path == "/slow":
            self.gate.wait(20)
        if request.path == "/mark":
            self.mark("in-flight")
        if request.path in ("/pause", "/mark"):
            time.sleep(0.5)
        if request.path == "/fail":
            raise RuntimeError("the secret inside")
        if request.path == "/bad-header":
            return Response(200, b"{}", (("location", "a\nb"),))
        if request.path == "/large":
            return Response(200, b"x" * LARGE)
        return Response(204 if request.path == "/nothing" else 200, json.dumps(self._seen(request)).encode())

    def refuse(
        self, request: Request | None, status: int, message: str, headers: tuple[tuple[str, str], ...] = ()
    ) -> Response:
        return Response(status, json.dumps({"echo_error": message}).encode(), headers)

    def error_content(self, status: int) -> Mapping[str, Schema]:
        return {"application/json": {"type": "object", "required": ["echo_error"]}}

    def _seen(self, request: Request) -> dict[str, object]:
        return {
            "method": request.method,
            "path": request.path,
            "query": request.query,
            "body": request.body.decode(),
            "base_url": request.base_url,
            "request_id": request.request_id,
            "user": request.actor.user,
            "project": request.actor.project,
            "roles": sorted(request.actor.roles),
            "system_scope": request.actor.system_scope,
        }


@dataclass
class RunningServer:
    """A server in a thread of this process."""

    address: Address
    dialect: Dialect
    not_ready: list[str]
    connections: Collection[object]

    @property
    def url(self) -> str:
        return self.address.url(tls=False)


@contextlib.contextmanager
def running_server(
    limits: Limits | None = None,
    authenticator: Authenticator | None = None,
    dialect: Dialect | None = None,
    **perimeter: Any,
) -> Iterator[RunningServer]:
    dialect = dialect or EchoDialect()
    not_ready: list[str] = []
    application = Application(dialects=[dialect], ready=lambda: list(not_ready))
    limits = limits or Limits()
    sock = open_socket(Address("127.0.0.1", 0))
    guarded = Perimeter(authenticator=authenticator or NoAuth(), **perimeter)
    config = uvicorn_config(
        lambda: Shell(application, guarded, limits),
        ServerOptions(limits=limits, stop_timeout_seconds=2),
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([sock],))
    thread.start()
    try:
        yield RunningServer(
            bound_address(sock, Address("127.0.0.1", 0)), dialect, not_ready, server.server_state.connections
        )
    finally:
        if isinstance(dialect, EchoDialect):
            dialect.gate.set()
        server.should_exit = True
        thread.join(10)
        assert not thread.is_alive()


@dataclass(frozen=True)
class EchoFactory:
    """Builds the shell in a worker; its hooks write files into a directory."""

    marks: str

    def __call__(self) -> Shell:
        configure_logs("json", "info")
        return Shell(self.application(), Perimeter(authenticator=NoAuth()), Limits())

    def application(self) -> Application:
        return Application(
            dialects=[EchoDialect(mark=self.mark)],
            start=lambda: self.mark("start"),
            stop=lambda: self.mark("stop"),
        )

    def mark(self, event: str) -> None:
        with Path(self.marks, event).open("a") as file:
            file.write("x")


def main(bind: str, marks: str, workers: str, stop_timeout: str) -> int:
    """Serve in this process, or in spawned workers."""
    configure_logs("json", "info")
    address = parse_address(bind)
    sock = open_socket(address)
    options = ServerOptions(limits=Limits(), workers=int(workers), stop_timeout_seconds=int(stop_timeout))
    try:
        return 0 if serve(EchoFactory(marks), options, sock) else 1
    finally:
        close_socket(sock, address)


if __name__ == "__mp_main__":
    # A spawned worker imports this file before it can answer its parent.
    time.sleep(float(os.environ.get("ECHO_IMPORT_SECONDS", "0")))

if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
