"""A test run that is interrupted or killed leaves no server behind."""

import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.bed.processes import clean_environment
from tests.bed.waiting import eventually

ROOT = Path(__file__).parents[2]
ENDLESS_TEST = """
import pathlib, signal
def test_waits(blank_database_url):
    pathlib.Path({ready!r}).touch()
    signal.pause()
"""


def servers_in(folder: Path) -> list[str]:
    """Find the database servers whose data is in a folder."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            command = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
        except (FileNotFoundError, ProcessLookupError):
            continue
        if f"{folder}/dibs-bed-".encode() in command:
            found.append(command.decode(errors="replace"))
    return found


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that every user may read: a database server that root starts runs as another user."""
    with tempfile.TemporaryDirectory(prefix="dibs-run-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def restore_interrupts() -> None:
    """Restore the handling of Ctrl-C, which processes that a script starts in the background ignore."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def start_run(folder: Path) -> Iterator[Callable[[str], subprocess.Popen[bytes]]]:
    """Start a test run whose only test waits for a signal, and return when that test runs."""
    started: list[subprocess.Popen[bytes]] = []

    def start(engine: str) -> subprocess.Popen[bytes]:
        test, ready = folder / "test_endless.py", folder / "ready"
        test.write_text(ENDLESS_TEST.format(ready=str(ready)))
        command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", f"--rootdir={folder}", "--engine", engine]
        environment = {**clean_environment(), "TMPDIR": str(folder)}
        run = subprocess.Popen(
            [*command, test], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, preexec_fn=restore_interrupts
        )
        started.append(run)
        eventually(ready.exists, seconds=60, what="the endless test")
        return started[-1]

    yield start
    for run in started:
        run.kill()
        run.wait()


@pytest.mark.parametrize(("engine", "ending"), [("postgresql", signal.SIGINT), ("mariadb", signal.SIGTERM)])
def test_interrupted_run_stops_its_servers_and_removes_its_folders(
    engine: str, ending: signal.Signals, folder: Path, start_run: Callable[[str], subprocess.Popen[bytes]]
) -> None:
    run = start_run(engine)
    assert servers_in(folder)
    run.send_signal(ending)
    assert run.wait(30) == pytest.ExitCode.INTERRUPTED
    assert list(folder.glob("dibs-bed-*")) == []
    assert servers_in(folder) == []


@pytest.mark.parametrize("engine", ["postgresql", "mariadb"])
def test_servers_of_a_killed_run_end_with_it(
    engine: str, folder: Path, start_run: Callable[[str], subprocess.Popen[bytes]]
) -> None:
    run = start_run(engine)
    assert servers_in(folder)
    run.kill()
    assert eventually(lambda: not servers_in(folder), what="the end of the servers")
