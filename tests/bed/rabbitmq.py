"""A throw-away RabbitMQ server on loopback."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

from tests.bed.processes import as_user, free_port, start_process, stop_process, user_for_servers
from tests.bed.waiting import eventually

PROGRAM = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
START_SECONDS = 240
"""Erlang needs 10 seconds of CPU time to start it."""
SETTINGS = """
listeners.tcp.default = 127.0.0.1:{port}
loopback_users.guest = true
"""


class RabbitmqServer:
    """RabbitMQ with its own port mapper of Erlang, so that it meets no other server of the machine."""

    def __init__(self) -> None:
        if not PROGRAM.exists():
            raise RuntimeError("RabbitMQ is not installed: `make test-all` says which packages are missing")
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="dibs-bed-"))
        (self.folder / "rabbitmq.conf").write_text(SETTINGS.format(port=self.port))
        (self.folder / "plugins").write_text("[].")
        self._environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "ERL_EPMD_PORT": str(free_port()),
            "RABBITMQ_NODENAME": f"dibs{self.port}@localhost",
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_CONFIG_FILE": str(self.folder / "rabbitmq.conf"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "plugins"),
            "RABBITMQ_MNESIA_BASE": str(self.folder / "data"),
            "RABBITMQ_LOG_BASE": str(self.folder / "logs"),
        }
        self._user = user_for_servers("rabbitmq")
        if os.geteuid() == 0:
            os.chown(self.folder, pwd.getpwnam(self._user).pw_uid, -1)
        self.process = start_process(
            as_user(self._user, [str(PROGRAM)]), self.folder / "log", self._environment, self.folder
        )
        try:
            eventually(self._listens, START_SECONDS, what="RabbitMQ")
        except BaseException:
            self.stop()
            raise

    @property
    def url(self) -> str:
        """The URL of its transport for oslo.messaging."""
        return f"rabbit://guest:guest@127.0.0.1:{self.port}/"

    def stop(self) -> None:
        """Stop the server, and the port mapper that it started."""
        stop_process(self.process)
        subprocess.run(as_user(self._user, ["epmd", "-kill"]), env=self._environment, capture_output=True, check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _listens(self) -> bool:
        socket.create_connection(("127.0.0.1", self.port)).close()
        return True
