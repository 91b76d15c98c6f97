"""/readyz of a running server tells the truth, and recovers by itself."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bed.dibs_server import DibsServer
from tests.bed.processes import bare_environment, start_process
from tests.bed.waiting import eventually
from tests.crashes.client import Client

HANGING = """
import pathlib, sys, time
from dibs.conductor import leases, threads

threads.STUCK_SECONDS = 1
run = leases.LeaseWorker.run

def run_or_hang(worker):
    while pathlib.Path(sys.argv[1]).exists():
        time.sleep(0.05)
    run(worker)

leases.LeaseWorker.run = run_or_hang
from dibs.cli.main import main
sys.exit(main(sys.argv[2:]))
"""
"""Runs ``dibs``; the thread that runs the events of leases hangs while a file exists."""


class HangingDibs(DibsServer):
    """A server whose conductor can be made to hang."""

    def start(self) -> None:
        self.gate = self.log_path.with_suffix(".gate")
        command = [sys.executable, "-c", HANGING, str(self.gate), *self.words]
        self.process = start_process(command, self.log_path, bare_environment())
        eventually(self.is_ready, 90, "dibs serve")


@pytest.fixture
def server(database_url: str, tmp_path: Path) -> Iterator[HangingDibs]:
    made = HangingDibs(database_url, tmp_path, "--workers", "2")
    made.start()
    yield made
    os.kill(made.pid, signal.SIGCONT)
    made.stop()


def reasons(server: DibsServer) -> str:
    status, document = Client(server.port).ask("GET", "/readyz")
    assert status == (503 if "reasons" in document else 200)
    return " ".join(document.get("reasons", []))


@pytest.mark.one_engine
def test_workers_report_a_conductor_that_hangs_and_a_parent_that_is_frozen(server: HangingDibs) -> None:
    assert reasons(server) == ""
    server.gate.touch()
    eventually(lambda: "the thread dibs-leases" in reasons(server), what="a reason")
    server.gate.unlink()
    eventually(lambda: reasons(server) == "", what="recovery from a hanging thread")
    os.kill(server.pid, signal.SIGSTOP)
    eventually(lambda: "which runs the conductor, does not answer" in reasons(server), what="a reason")
    os.kill(server.pid, signal.SIGCONT)
    eventually(lambda: reasons(server) == "", what="recovery from a frozen parent")
