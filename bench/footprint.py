"""Measure what an installation costs: distributions in the base, CPU until the first answer and when idle, memory.

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
from contextlib import contextmanager
from pathlib import Path

from bench.cpu import cpu_seconds, resident_megabytes
from bench.tables import FIGURES_HEAD, figure, progress
from dibs.database.migrate import upgrade
from tests import fleet
from tests.bed.processes import Process, free_port, start_process, stop_process, tail_of

ROOT = Path(__file__).parents[1]
BUILT_FROM = ("pyproject.toml", "README.md", "LICENSE")

DISTRIBUTIONS_GOAL = 45
CPU_SECONDS_GOAL = 0.8
STARTS = 5
DEADLINE_SECONDS = 60
FIRST_REQUEST = "/baremetal/v1/nodes"

IDLE_SECONDS = 30
IDLE_GOAL_PERCENT = 0.5
MEMORY_GOALS_MEGABYTES = {1_000: 110, 100_000: 300}
"""Resident memory of a process by the number of nodes that it has listed and searched."""
PLACEMENT = {"OpenStack-API-Version": "placement 1.39", "X-Auth-Token": "admin"}
USES: dict[str, dict[str, str]] = {
    "/baremetal/v1/nodes?limit=1000": {"X-OpenStack-Ironic-API-Version": "1.80"},
    "/placement/allocation_candidates?resources=CUSTOM_FLEET:1&limit=100": PLACEMENT,
    "/placement/allocation_candidates?resources=CUSTOM_FLEET:1&required=CUSTOM_7": PLACEMENT,
}
"""What fills the memory of a process: a page, and the structure of all providers for a search."""


def measure_footprint() -> Iterator[str]:
    """Yield the figures of the base installation."""
    yield "\nThe base: pip install .\n"
    yield from FIGURES_HEAD
    progress("installing the base into a new environment (about a minute)")
    with tempfile.TemporaryDirectory(prefix="dibs-footprint-") as name:
        folder = Path(name)
        binaries = install(folder)
        yield figure("distributions, pip included", str(count_distributions(binaries)), f"< {DISTRIBUTIONS_GOAL}")
        used = folder / "used.sqlite"
        cpu_seconds_to_first_answer(binaries, used)
        restart = min(cpu_seconds_to_first_answer(binaries, used) for _ in range(STARTS))
        yield figure("CPU seconds to the first answer", f"{restart:.2f}", f"< {CPU_SECONDS_GOAL}")
        first = min(cpu_seconds_to_first_answer(binaries, folder / f"{n}.sqlite") for n in range(STARTS))
        yield figure("the same, with migrations of a new database", f"{first:.2f}")
        for nodes, goal in MEMORY_GOALS_MEGABYTES.items():
            idle, megabytes = idle_percent_and_megabytes(binaries, folder / f"fleet-{nodes}.sqlite", nodes)
            yield figure(f"MB of memory with {nodes:,} nodes", f"{megabytes:.0f}", f"< {goal}")
            yield figure("% of a core when idle, with these", f"{idle:.2f}", f"< {IDLE_GOAL_PERCENT}")


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
    with served(binaries, database) as (process, _):
        return cpu_seconds(process.pid)


def idle_percent_and_megabytes(binaries: Path, database: Path, nodes: int) -> tuple[float, float]:
    """Serve a fleet and use it; return the CPU of the idle process afterwards, and its resident memory."""
    url = f"sqlite:///{database}"
    upgrade(url)
    fleet.fill(url, nodes)
    with served(binaries, database) as (process, origin):
        for path, headers in USES.items():
            request = urllib.request.Request(origin + path, headers=headers)
            with urllib.request.urlopen(request, timeout=DEADLINE_SECONDS) as answer:
                answer.read()
        before, began = cpu_seconds(process.pid), time.monotonic()
        time.sleep(IDLE_SECONDS)
        used, seconds = cpu_seconds(process.pid) - before, time.monotonic() - began
        return 100 * used / seconds, resident_megabytes(process.pid)


@contextmanager
def served(binaries: Path, database: Path) -> Iterator[tuple[Process, str]]:
    """Run ``dibs serve`` and wait for its first answer; yield the process and its origin."""
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
        yield process, f"http://127.0.0.1:{port}"
    finally:
        stop_process(process)


def answers(url: str) -> bool:
    """Return True when the server answers 200; False while nothing listens."""
    try:
        with urllib.request.urlopen(url, timeout=DEADLINE_SECONDS) as answer:
            return bool(answer.status == 200)
    except urllib.error.URLError:
        return False


def environment() -> dict[str, str]:
    """Return this process's environment without settings of Dibs and of Python, such as a path to other sources."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("DIBS_", "OS_", "PYTHON"))}
