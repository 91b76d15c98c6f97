"""``make demo`` with a running server; tests/browsers/test_demo.py runs it with its own."""

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
