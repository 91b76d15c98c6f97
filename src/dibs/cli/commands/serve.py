"""``dibs serve``, ``dibs api`` and ``dibs conductor``: run a server."""

import argparse
import contextlib
import dataclasses
import gc
import logging
import os
import signal
import socket
import ssl
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from dibs.cli.commands.clouds_yaml import clouds_yaml
from dibs.cli.settings_command import CommandFailed, SettingsCommand
from dibs.http.edge.binding import BindError, bound_address, close_socket, is_loopback, open_socket
from dibs.http.edge.logs import configure_logs
from dibs.settings import ENVIRONMENT_PREFIX, Settings
from dibs.settings.authentication import has_console

if TYPE_CHECKING:
    from dibs.cli.server_factory import Builder

LOG = logging.getLogger(__name__)

POOLS = ("request", "ready", "dibs-work", "dibs-allocations")
"""How the names of the threads begin that answer requests, check readiness and work for a conductor."""


class Serve(SettingsCommand):
    """Run the API and a conductor in one process.

    SIGTERM or SIGINT (Ctrl-C) stops the server after the requests in progress.
    """

    address_setting = "bind"
    """The setting with the address to listen on."""

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Run the server until a signal stops it."""
        settings = self.prepare(self.settings(parsed_args))
        _check(settings)
        try:
            sock = open_socket(settings.address)
        except BindError as error:
            name = self.address_setting
            flag, variable = f"--{name.replace('_', '-')}", f"{ENVIRONMENT_PREFIX}{name.upper()}"
            raise CommandFailed(f"{error} Choose another address with {flag} or {variable}.") from error
        settings = settings.bound_to(bound_address(sock, settings.address))
        configure_logs(settings.log_format, settings.log_level)
        try:
            served = _serve(settings, sock, self.builder, self.announce)
        finally:
            close_socket(sock, settings.address)
        _exit_with_stuck_threads()
        return 0 if served else 1

    def prepare(self, settings: Settings) -> Settings:
        """Return the settings for this kind of server; raise CommandFailed for unsafe ones."""
        return settings

    def builder(self) -> "Builder":
        """Return the function that builds the application. It is imported late, because it imports all of Dibs."""
        from dibs.wiring.processes import build_application

        return build_application

    def announce(self, settings: Settings) -> None:
        """Print the URLs when the server is ready."""
        url = settings.address.url(settings.tls)
        where = f" (on {settings.address})" if settings.address.path else ""
        print(
            f"Dibs serves {url}/baremetal and {url}/placement{where}; all APIs are listed at {url}/",
            file=self.app.stdout,
        )
        if has_console(settings):
            print(f"Open {url}/ in a browser for the console.", file=self.app.stdout)
        print(f"\n# clouds.yaml\n{clouds_yaml(settings)}", file=self.app.stdout, flush=True)


class Api(Serve):
    """Run the API only; needs at least one `dibs conductor`."""

    def prepare(self, settings: Settings) -> Settings:
        """See Serve."""
        try:
            ssl.create_default_context(cafile=settings.rpc_ca_file or None)
        except (OSError, ssl.SSLError) as error:
            raise CommandFailed(f"Cannot read rpc_ca_file {settings.rpc_ca_file}: {error}.") from error
        return settings

    def builder(self) -> "Builder":
        """See Serve."""
        from dibs.wiring.processes import build_api

        return build_api


class Conductor(Serve):
    """Run a conductor only, for processes of `dibs api`."""

    address_setting = "rpc_bind"

    def prepare(self, settings: Settings) -> Settings:
        """See Serve."""
        settings = settings.for_conductor()
        if not settings.rpc_secret and (settings.auth != "noauth" or not is_loopback(settings.address)):
            raise CommandFailed(
                f"Without rpc_secret, every client that can reach {settings.address} could control this conductor."
                " Set it to the same secret for every `dibs conductor` and `dibs api`."
            )
        # A conductor authenticates its callers by the secret; the authentication method of the API does not apply.
        return dataclasses.replace(settings, auth="noauth", force_noauth=True)

    def builder(self) -> "Builder":
        """See Serve."""
        from dibs.wiring.processes import build_conductor

        return build_conductor

    def announce(self, settings: Settings) -> None:
        """See Serve."""
        print(
            f"Conductor {settings.conductor_name} accepts RPC calls at {settings.announced_rpc_url}",
            file=self.app.stdout,
            flush=True,
        )
        if not settings.tls and not is_loopback(settings.address):
            LOG.warning(
                "RPC calls to %s are signed but not encrypted: allocations and the uuids of reservations can be read on"
                " that network. Set tls_cert and tls_key, or use a private network.",
                settings.address,
            )


def _check(settings: Settings) -> None:
    """Raise CommandFailed for settings that would fail later or are unsafe."""
    if settings.auth == "noauth" and not settings.force_noauth and not is_loopback(settings.address):
        raise CommandFailed(
            f"With noauth, every client that can reach {settings.address} is an administrator. Bind to a loopback"
            " address, choose another --auth method, or confirm with --force-noauth."
        )
    if settings.tls:
        try:
            ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(settings.tls_cert, settings.tls_key)
        except (OSError, ssl.SSLError) as error:
            raise CommandFailed(
                f"Cannot use tls_cert {settings.tls_cert} with tls_key {settings.tls_key}: {error}."
            ) from error
    if settings.auth == "http_basic":
        from dibs.http.auth.basic import BadUserFile, BasicAuth

        try:
            BasicAuth(settings.auth_file)
        except BadUserFile as error:
            raise CommandFailed(str(error)) from error
    if settings.auth == "keystone":
        # Imported here so that a missing extra is reported before a process of the server starts.
        import dibs.http.auth.keystone
    if settings.keystone_limits_service:
        import dibs.integrations.keystone_limits  # noqa: F401


def _serve(
    settings: Settings,
    sock: socket.socket,
    builder: Callable[[], "Builder"],
    announce: Callable[[Settings], None],
) -> bool:
    # Before and after uvicorn handles signals, SIGTERM must still run the stop hooks.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
    with _shared_metrics(settings.workers):
        from dibs.cli.server_factory import SameProcess, SpawnedWorker, options_from
        from dibs.http.edge.reports import reporting
        from dibs.http.edge.server import serve

        with _no_garbage_collection():
            build = builder()
            application = build(settings)
        try:
            with _no_garbage_collection():
                application.start_once()
            announce(settings)
            options = options_from(settings)
            if settings.workers == 1:
                return serve(SameProcess(settings, application), options, sock)
            with reporting(application.ready_once) as address:
                return serve(SpawnedWorker(settings, build, address), options, sock)
        finally:
            application.stop_once()


@contextlib.contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Import and build without garbage collection, which would free nothing: these objects live as long as the process.

    They are frozen afterwards, so that collections during requests skip them.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


@contextlib.contextmanager
def _shared_metrics(workers: int) -> Iterator[None]:
    """Provide a directory for the metrics of several processes; prometheus-client reads it at import."""
    if workers == 1:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="dibs-metrics-") as directory:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = directory
        yield


def _exit_with_stuck_threads() -> None:
    """End the process if threads of a pool outlived the time to stop; Python would wait for them for ever."""
    stuck = [thread for thread in threading.enumerate() if thread.name.startswith(POOLS) and not thread.daemon]
    for thread in stuck:
        thread.join(0.2)
    if names := [thread.name for thread in stuck if thread.is_alive()]:
        LOG.error("Stopping with work still running in %s.", ", ".join(names))
        logging.shutdown()
        os._exit(1)
