"""Output and exit codes of the import commands; tests/importing tests what they copy from the real services."""

import contextlib
import os
import pty
import subprocess

import pytest

from tests.bed.dibs_server import DIBS, DibsServer
from tests.bed.forked import run_dibs
from tests.bed.processes import free_port
from tests.clients.clouds import bare_environment

pytestmark = pytest.mark.one_engine


def run(*words: str) -> "subprocess.CompletedProcess[str]":
    return run_dibs("import", *words)


def from_itself(server: DibsServer, *flags: str) -> list[str]:
    """Return the words of an import of a Dibs into itself, where every object exists already."""
    return ["placement", "--from", f"{server.url}/placement", "--to", server.url, *flags]


@pytest.mark.parametrize("words", [["ironic"], ["blazar", "--from"]])
def test_a_usage_error_exits_with_2(words: list[str]) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert f"usage: dibs import {words[0]}" in done.stderr


def test_an_unreachable_source_is_reported_in_one_line() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    done = run("ironic", "--from", url)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"Cannot connect to {url}.")
    assert done.stderr.count("\n") == 1


def test_a_source_of_another_kind_is_reported(server: DibsServer) -> None:
    done = run("ironic", "--from", f"{server.url}/placement", "--to", server.url)
    assert done.returncode == 1
    assert "/placement is not a baremetal service." in done.stderr


def test_a_missing_password_without_a_terminal_is_reported() -> None:
    done = run("ironic", "--from", "http://127.0.0.1:1", "--from-user", "root")
    assert done.returncode == 1
    assert "set DIBS_IMPORT_FROM_PASSWORD" in done.stderr


def test_progress_goes_to_standard_error_and_quiet_hides_it(server: DibsServer) -> None:
    loud, quiet = run(*from_itself(server)), run(*from_itself(server, "--quiet"))
    assert (loud.returncode, quiet.returncode) == (0, 0)
    assert loud.stderr.splitlines() == ["resource class: 0 of 0", "trait: 0 of 0", "provider: 0 of 0", "claim: 0 of 0"]
    assert quiet.stderr == ""
    assert loud.stdout == quiet.stdout
    assert loud.stdout.split()[:5] == ["copied", "same", "differs", "refused", "left"]


def read_all(terminal: int) -> str:
    """Return all that was written to a terminal whose other end is closed; one read returns 4 KiB at most."""
    pieces = []
    with open(terminal, "rb", buffering=0) as file, contextlib.suppress(OSError):
        while piece := file.read(65536):
            pieces.append(piece)
    return b"".join(pieces).decode()


def test_progress_is_a_bar_on_a_terminal(server: DibsServer) -> None:
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [DIBS, "import", *from_itself(server)],
        env={**bare_environment(), "TERM": "xterm"},
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    )
    os.close(theirs)
    shown = read_all(ours)
    assert done.returncode == 0
    assert "provider" in shown
    assert "\x1b[" in shown
    assert "\x1b[" not in done.stdout
