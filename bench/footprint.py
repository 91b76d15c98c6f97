"""Measure what an installation costs: distributions in the base, and CPU seconds from start to the first answer.

Installs this source tree without extras into a temporary virtual environment, which takes a minute and needs a package
index. Of several starts the cheapest counts, because another process on the machine can only add to the figure.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from tests.bed.processes import free_port, start_process, stop_process, tail_of

ROOT = Path(__file__).parents[1]
BUILT_FROM = ("pyproject.toml", "README.md", "LICENSE")

DISTRIBUTIONS_GOAL = 45
CPU_SECONDS_GOAL = 0.8
STARTS = 5
DEADLINE_SECONDS = 60
FIRST_REQUEST = "/baremetal/v1/nodes"


def measure_footprint() -> Iterator[str]:
    """Yield the lines of the table."""
    with tempfile.TemporaryDirectory(prefix="dibs-footprint-") as name:
        folder = Path(name)
        binaries = install(folder)
        yield line("distributions, pip included", str(count_distributions(binaries)), f"< {DISTRIBUTIONS_GOAL}")
        used = folder / "used.sqlite"
        cpu_seconds_to_first_answer(binaries, used)
        restart = min(cpu_seconds_to_first_answer(binaries, used) for _ in range(STARTS))
        yield line("CPU seconds to the first answer", f"{restart:.2f}", f"< {CPU_SECONDS_GOAL}")
        first = min(cpu_seconds_to_first_answer(binaries, folder / f"{n}.sqlite") for n in range(STARTS))
        yield line("the same, with migrations of a new database", f"{first:.2f}", "")


def line(name: str, figure: str, goal: str) -> str:
    """Format one line of the table."""
    return f"{name:<44}{figure:>8}" + (f"   goal: {goal}" if goal else "")


def install(folder: Path) -> Path:
    """Install the base into a new virtual environment and return the folder of its commands."""
    source = folder / "source"
    source.mkdir()
    for name in BUILT_FROM:
        shutil.copy(ROOT / name, source)
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
    binaries = folder / "venv" / "bin"
    subprocess.run([sys.executable, "-m", "venv", binaries.parent], check=True)
    options = ["-qq", "--disable-pip-version-check", "--constraint", str(ROOT / "constraints.txt")]
    subprocess.run([binaries / "python", "-m", "pip", "install", *options, source], check=True, env=environment())
    return binaries


def count_distributions(binaries: Path) -> int:
    """Return how many distributions the environment has."""
    program = "from importlib.metadata import distributions; print(len(list(distributions())))"
    found = subprocess.run([binaries / "python", "-c", program], check=True, capture_output=True, env=environment())
    return int(found.stdout)


def cpu_seconds_to_first_answer(binaries: Path, database: Path) -> float:
    """Start ``dibs serve``, send one request, and return the CPU time that the process used until the answer."""
    port = free_port()
    log = database.with_suffix(".log")
    command = [binaries / "dibs", "serve", "--bind", f"127.0.0.1:{port}", "--database", f"sqlite:///{database}"]
    process = start_process([str(word) for word in command], log, environment())
    try:
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not answers(f"http://127.0.0.1:{port}{FIRST_REQUEST}"):
            if time.monotonic() > deadline or process.poll() is not None:
                raise RuntimeError(f"dibs serve did not answer: {tail_of(log)}")
            time.sleep(0.02)
        return cpu_seconds(process.pid)
    finally:
        stop_process(process)


def answers(url: str) -> bool:
    """Return True when the server answers 200; False while nothing listens."""
    try:
        with urllib.request.urlopen(url, timeout=DEADLINE_SECONDS) as answer:
            return bool(answer.status == 200)
    except urllib.error.URLError:
        return False


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process, of all its threads, in user and system mode."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def environment() -> dict[str, str]:
    """Return this process's environment without settings of Dibs and of Python, such as a path to other sources."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("DIBS_", "OS_", "PYTHON"))}
