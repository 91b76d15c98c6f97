"""A Keystone server on loopback, with SQLite and fernet keys in a temporary directory, under wsgiref."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import httpx
from cryptography.fernet import Fernet

from tests.bed.processes import start_process, stop_process, tail_of
from tests.bed.waiting import eventually

PASSWORD = "correct horse"

_CONFIGURATION = """\
[DEFAULT]
log_dir = {directory}
[database]
connection = sqlite:///{directory}/keystone.sqlite
[identity]
password_hash_rounds = 4
[token]
provider = fernet
[fernet_tokens]
key_repository = {directory}/fernet
[credential]
key_repository = {directory}/fernet
[fernet_receipts]
key_repository = {directory}/fernet
"""


@dataclass
class Keystone:
    """A running server."""

    directory: Path
    port: int
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v3"

    def prepare(self) -> None:
        """Create the database, the keys and the user admin."""
        self.directory.joinpath("keystone.conf").write_text(_CONFIGURATION.format(directory=self.directory))
        self._write_keys()
        self._manage("db_sync")
        self._manage("bootstrap", "--bootstrap-password", PASSWORD, "--bootstrap-public-url", self.url)

    def start(self) -> None:
        """Serve until stop."""
        environment = {**os.environ, "OS_KEYSTONE_CONFIG_FILES": str(self.directory / "keystone.conf")}
        command = [sys.executable, str(Path(__file__).with_name("keystone_wsgi.py")), str(self.port)]
        self.process = start_process(command, self.directory / "server.log", environment)
        eventually(self._answers, 60, "Keystone")

    def stop(self) -> None:
        """End it."""
        if self.process is not None:
            stop_process(self.process)

    def _answers(self) -> bool:
        assert self.process is not None
        if self.process.poll() is not None:
            raise RuntimeError(tail_of(self.directory / "server.log"))
        try:
            return httpx.get(self.url).status_code == 200
        except httpx.HTTPError:
            return False

    def _write_keys(self) -> None:
        """Write the keys like keystone-manage fernet_setup, which takes seconds to start."""
        keys = self.directory / "fernet"
        keys.mkdir(mode=0o700)
        for number in ("0", "1"):
            keys.joinpath(number).write_bytes(Fernet.generate_key())

    def _manage(self, *arguments: str) -> None:
        command = [
            str(Path(sys.executable).with_name("keystone-manage")),
            "--config-file",
            str(self.directory / "keystone.conf"),
            *arguments,
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
