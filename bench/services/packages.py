"""What the original services need beside the test environment, in a folder of its own: ``build/bench``."""

import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from bench.tables import progress
from tests.bed.processes import Process, as_user, bare_environment, start_process, user_for_servers

REQUIREMENTS = Path(__file__).parents[1] / "requirements.txt"
FOLDER = Path(__file__).parents[2] / "build" / "bench"


def install() -> None:
    """Install the packages, unless those of the requirements are there."""
    done = FOLDER / "installed.txt"
    if done.exists() and done.read_text() == REQUIREMENTS.read_text():
        return
    progress(f"installing the packages of {REQUIREMENTS.name} into {FOLDER}")
    began = time.monotonic()
    options = ["--quiet", "--disable-pip-version-check", "--upgrade", "--target", str(FOLDER)]
    command = [sys.executable, "-m", "pip", "install", *options, "--requirement", str(REQUIREMENTS)]
    subprocess.run(command, check=True, env=environment())
    done.write_text(REQUIREMENTS.read_text())
    progress(f"installed in {time.monotonic() - began:.0f} s")


def start(command: list[str], log: Path, more: Mapping[str, str]) -> Process:
    """Start an original service, which is killed when the bench is."""
    return start_process(as_user(user_for_servers("root"), command), log, {**environment(), **more})


def environment() -> dict[str, str]:
    """Return the environment of an original service: the packages of the bench come after those of the tests."""
    return {**bare_environment(), "PYTHONPATH": str(FOLDER)}
