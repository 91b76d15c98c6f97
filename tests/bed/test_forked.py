"""A forked process is controlled and ends as one that subprocess starts."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.bed.dibs_server import DIBS, DibsServer
from tests.bed.forked import run_dibs


@pytest.mark.parametrize("words", [("--version",), ("serve", "--no-such-flag")])
def test_process_has_the_output_and_the_exit_status_of_the_installed_program(words: tuple[str, ...]) -> None:
    installed = subprocess.run([DIBS, *words], capture_output=True, text=True)
    forked = run_dibs(*words)
    assert (forked.returncode, forked.stdout, forked.stderr) == (
        installed.returncode,
        installed.stdout,
        installed.stderr,
    )


@pytest.mark.one_engine
def test_killed_process_has_the_status_of_its_signal(shared_server: DibsServer, tmp_path: Path) -> None:
    server = DibsServer(shared_server.database_url, tmp_path)
    server.start()
    process = server.process
    assert process is not None
    assert process.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.01)
    os.kill(server.pid, signal.SIGKILL)
    assert process.wait(60) == -signal.SIGKILL
    process.kill()
