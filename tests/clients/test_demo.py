"""``make demo`` with its own server and with a running one."""

import os
import subprocess
import sys
from pathlib import Path

from tests.bed.dibs_server import DibsServer

DEMO = Path(__file__).parents[2] / "tools" / "demo.py"


def run_demo(**environment: str) -> subprocess.CompletedProcess[str]:
    """Run the demo without a terminal, so that it ends by itself."""
    return subprocess.run(
        [sys.executable, DEMO], env=os.environ | environment, capture_output=True, text=True, timeout=300
    )


def test_the_demo_runs_all_sections_and_ends() -> None:
    done = run_demo()
    assert (done.returncode, done.stderr) == (0, "")
    for line in (
        "60 of 60 cleaned and available",
        "36 compute  35 available now",
        "4: r4-g01, r4-g03, r4-g05, r4-g07",
        "16 nodes of class gpu: 8 lack CUSTOM_GPU_H100, 4 in use",
        '"fits": false, "free": 0',
        "my allocation is allocating",
        "my allocation is active: I have r5-g0",
        "is available again",
        "09:00 to ",
        "another lease at that time: 409",
        "The earliest start at which this fits is ",
        "T15:00",
        "deleted: the machine is free for all again",
        "60 machines can be booked",
        "in a browser: the console shows who has what",
    ):
        assert line in done.stdout


def test_the_demo_can_run_twice_on_one_server(tmp_path: Path) -> None:
    server = DibsServer(f"sqlite:///{tmp_path}/demo.sqlite", tmp_path)
    server.start()
    try:
        first, second = run_demo(DIBS_URL=server.url), run_demo(DIBS_URL=server.url)
    finally:
        server.stop()
    assert (first.returncode, second.returncode) == (0, 0)
    assert "16 gpu      16 available now" in second.stdout


def test_the_demo_reports_an_unreachable_server() -> None:
    done = run_demo(DIBS_URL="http://127.0.0.1:9")
    assert done.returncode == 1
    assert "Cannot connect to http://127.0.0.1:9" in done.stderr
