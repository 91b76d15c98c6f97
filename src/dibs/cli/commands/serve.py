"""``dibs serve``, ``dibs api`` and ``dibs conductor``: the servers."""

import argparse
import contextlib
import dataclasses
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
from dibs.cli.settings_flags import CommandFailed, SettingsCommand
from dibs.http.edge.binding import BindError, bound_address, close_socket, is_loopback, open_socket
from dibs.http.edge.logs import configure_logs
from dibs.settings import Settings

if TYPE_CHECKING:
    from dibs.cli.edge import Builder

LOG = logging.getLogger(__name__)


class Serve(SettingsCommand):
    """Answer requests and work on nodes, all in one process.

    SIGTERM or SIGINT (Ctrl-C) ends it when what is in flight is finished.
    """

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Serve."""
        settings = self.prepare(self.settings(parsed_args))
        _refuse_what_cannot_work(settings)
        try:
            sock = open_socket(settings.address)
        except BindError as error:
            raise CommandFailed(str(error)) from error
        settings = settings.bound_to(bound_address(sock, settings.address))
        configure_logs(settings.log_format, settings.log_level)
        try:
            served = _serve(settings, sock, self.builder, self.announce)
        finally:
            close_socket(sock, settings.address)
        _abandon_stuck_requests()
        return 0 if served else 1

    def prepare(self, settings: Settings) -> Settings:
        """The settings for this kind of server; CommandFailed for those that would not be safe."""
        return settings

    def builder(self) -> "Builder":
        """What is served. Called late, because it imports all of Dibs."""
        from dibs.wiring import build_application

        return build_application

    def announce(self, settings: Settings) -> None:
        """Say where it is, once it is ready."""
        url = settings.address.url(settings.tls)
        where = f" (on {settings.address})" if settings.address.path else ""
        print(
            f"Dibs serves {url}/baremetal and {url}/placement{where}; what else there is: {url}/", file=self.app.stdout
        )
        print(f"\n# clouds.yaml\n{clouds_yaml(settings)}", file=self.app.stdout, flush=True)


class Api(Serve):
    """Answer requests; the work is done by processes of `dibs conductor`."""

    def prepare(self, settings: Settings) -> Settings:
        """See Serve."""
        try:
            ssl.create_default_context(cafile=settings.rpc_ca_file or None)
        except (OSError, ssl.SSLError) as error:
            raise CommandFailed(f"rpc_ca_file cannot be used: {error}") from error
        return settings

    def builder(self) -> "Builder":
        """See Serve."""
        from dibs.wiring import build_api

        return build_api


class Conductor(Serve):
    """Work on nodes and find nodes for those who ask; requests are answered by processes of `dibs api`."""

    def prepare(self, settings: Settings) -> Settings:
        """See Serve."""
        settings = settings.for_conductor()
        if not settings.rpc_secret and (settings.auth != "noauth" or not is_loopback(settings.address)):
            raise CommandFailed(
                f"Without rpc_secret everyone who can reach {settings.address} could give orders to this conductor:"
                " set it to the same secret here and at every `dibs api`."
            )
        # Nobody is believed here but who knows the secret, so how callers of the API prove themselves is of no matter.
        return dataclasses.replace(settings, auth="noauth", force_noauth=True)

    def builder(self) -> "Builder":
        """See Serve."""
        from dibs.wiring import build_conductor

        return build_conductor

    def announce(self, settings: Settings) -> None:
        """See Serve."""
        print(
            f"Conductor {settings.conductor_name} takes calls at {settings.announced_rpc_url}",
            file=self.app.stdout,
            flush=True,
        )
        if not settings.tls and not is_loopback(settings.address):
            LOG.warning(
                "Calls to %s are signed but not hidden: whoever listens on that network can read allocations and the"
                " uuids that prove reservations. Give tls_cert and tls_key, or use a network of their own.",
                settings.address,
            )


def _refuse_what_cannot_work(settings: Settings) -> None:
    """Say in one sentence what would otherwise fail later, or be unsafe."""
    if settings.auth == "noauth" and not settings.force_noauth and not is_loopback(settings.address):
        raise CommandFailed(
            f"With noauth everyone who can reach {settings.address} would be admin: bind to loopback, choose another"
            " --auth, or say --force-noauth."
        )
    if settings.tls:
        try:
            ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(settings.tls_cert, settings.tls_key)
        except (OSError, ssl.SSLError) as error:
            raise CommandFailed(f"tls_cert and tls_key cannot be used: {error}") from error
    if settings.auth == "http_basic":
        from dibs.http.auth.basic import BadUserFile, BasicAuth

        try:
            BasicAuth(settings.auth_file)
        except BadUserFile as error:
            raise CommandFailed(str(error)) from error
    if settings.auth == "keystone":
        # Imported here so that a missing extra is reported before a process of the server starts.
        import dibs.http.auth.keystone  # noqa: F401


def _serve(
    settings: Settings,
    sock: socket.socket,
    builder: Callable[[], "Builder"],
    announce: Callable[[Settings], None],
) -> bool:
    # Until uvicorn takes the signals, and after it gives them back, SIGTERM must still let the hooks run.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
    with _metrics_of_all_workers(settings.workers):
        from dibs.cli.edge import SameProcess, SpawnedWorker, options_from
        from dibs.http.edge.server import serve

        build = builder()
        application = build(settings)
        try:
            application.start_once()
            announce(settings)
            factory = SpawnedWorker(settings, build) if settings.workers > 1 else SameProcess(settings, application)
            return serve(factory, options_from(settings), sock)
        finally:
            application.stop_once()


@contextlib.contextmanager
def _metrics_of_all_workers(workers: int) -> Iterator[None]:
    """A directory for the counts of several processes. prometheus-client looks for it when it is first imported."""
    if workers == 1:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="dibs-metrics-") as directory:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = directory
        yield


def _abandon_stuck_requests() -> None:
    """Python waits at exit for every thread of a pool; one that outlived the stop time-out would hold it for ever."""
    stuck = [thread for thread in threading.enumerate() if thread.name.startswith("request")]
    for thread in stuck:
        thread.join(0.2)
    if any(thread.is_alive() for thread in stuck):
        LOG.error("Stopping although requests are still running.")
        logging.shutdown()
        os._exit(1)
