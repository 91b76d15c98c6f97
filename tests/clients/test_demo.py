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
        "is missing traits CUSTOM_GPU_H100",
        "r4-g01 is active",
        "last_error: Failed to deploy: no link on port 1",
        "r1-c12 is available again",
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
