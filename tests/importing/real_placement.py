"""A real Placement on loopback: SQLite, no authentication, served by wsgiref."""

import subprocess
import sys
from pathlib import Path

import httpx

from tests.bed.processes import start_process, stop_process, tail_of
from tests.bed.waiting import eventually
from tests.clients.clouds import bare_environment

_CONFIGURATION = """\
[api]
auth_strategy = noauth2
[placement_database]
connection = sqlite:///{folder}/placement.sqlite
sync_on_startup = true
"""


class RealPlacement:
    """A running server."""

    def __init__(self, folder: Path, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.port = port
        self.folder = folder
        self.log = folder / "placement.log"
        (folder / "placement.conf").write_text(_CONFIGURATION.format(folder=folder))
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server, which creates its own database."""
        # Without -P, the folder of the script hides the installed placement.
        command = [sys.executable, "-P", str(Path(__file__).with_name("placement_wsgi.py")), str(self.port)]
        environment = {**bare_environment(), "OS_PLACEMENT_CONFIG_DIR": str(self.folder)}
        self.process = start_process(command, self.log, environment)
        eventually(self._answers, 60, "Placement")

    def stop(self) -> None:
        """Stop the server."""
        if self.process is not None:
            stop_process(self.process)

    def _answers(self) -> bool:
        assert self.process is not None
        if self.process.poll() is not None:
            raise RuntimeError(tail_of(self.log))
        try:
            return httpx.get(self.url).status_code == 200
        except httpx.HTTPError:
            return False
