"""``dibs serve``: the server."""

import argparse
import contextlib
import logging
import os
import signal
import socket
import ssl
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator

from dibs.cli.clouds_yaml import clouds_yaml
from dibs.cli.settings_flags import CommandFailed, SettingsCommand
from dibs.http.binding import BindError, bound_address, close_socket, is_loopback, open_socket
from dibs.http.logs import configure_logs
from dibs.settings import Settings

LOG = logging.getLogger(__name__)


class Serve(SettingsCommand):
    """Answer requests until SIGTERM or SIGINT, then finish what is in flight."""

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Serve."""
        settings = self.settings(parsed_args)
        _refuse_what_cannot_work(settings)
        try:
            sock = open_socket(settings.address)
        except BindError as error:
            raise CommandFailed(str(error)) from error
        settings = settings.bound_to(bound_address(sock, settings.address))
        configure_logs(settings.log_format, settings.log_level)
        try:
            served = _serve(settings, sock, self._announce)
        finally:
            close_socket(sock, settings.address)
        _abandon_stuck_requests()
        return 0 if served else 1

    def _announce(self, settings: Settings) -> None:
        url = settings.address.url(settings.tls)
        where = f" (on {settings.address})" if settings.address.path else ""
        print(
            f"Dibs serves {url}/baremetal and {url}/placement{where}; what else there is: {url}/", file=self.app.stdout
        )
        print(f"\n# clouds.yaml\n{clouds_yaml(settings)}", file=self.app.stdout, flush=True)


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


def _serve(settings: Settings, sock: socket.socket, announce: Callable[[Settings], None]) -> bool:
    # Until uvicorn takes the signals, and after it gives them back, SIGTERM must still let the hooks run.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
    with _metrics_of_all_workers(settings.workers):
        from dibs.cli.edge import SameProcess, SpawnedWorker, options_from
        from dibs.http.server import serve
        from dibs.wiring import build_application

        application = build_application(settings)
        try:
            application.start_once()
            announce(settings)
            factory = SpawnedWorker(settings) if settings.workers > 1 else SameProcess(settings, application)
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
