"""``make demo`` works, by itself and against a server that runs already."""

import os
import subprocess
import sys
from pathlib import Path

from tests.bed.dibs_server import DibsServer

DEMO = Path(__file__).parents[2] / "tools" / "demo.py"


def run_demo(**environment: str) -> subprocess.CompletedProcess[str]:
    """Run it where no terminal is, so that it ends by itself."""
    return subprocess.run(
        [sys.executable, DEMO], env=os.environ | environment, capture_output=True, text=True, timeout=300
    )


def test_the_demo_tells_its_story_and_ends() -> None:
    told = run_demo()
    assert (told.returncode, told.stderr) == (0, "")
    for sentence in (
        "60 of 60 cleaned, and available",
        "36 compute  35 can be had now",
        "4: r4-g01, r4-g03, r4-g05, r4-g07",
        "is missing traits CUSTOM_GPU_H100",
        "r4-g01 is active",
        "last_error: Failed to deploy: no link on port 1",
        "r1-c12 is available again",
    ):
        assert sentence in told.stdout


def test_the_demo_can_be_told_twice_on_one_server(tmp_path: Path) -> None:
    server = DibsServer(f"sqlite:///{tmp_path}/demo.sqlite", tmp_path)
    server.start()
    try:
        first, second = run_demo(DIBS_URL=server.url), run_demo(DIBS_URL=server.url)
    finally:
        server.stop()
    assert (first.returncode, second.returncode) == (0, 0)
    assert "16 gpu      16 can be had now" in second.stdout


def test_the_demo_says_when_nobody_answers() -> None:
    told = run_demo(DIBS_URL="http://127.0.0.1:9")
    assert told.returncode == 1
    assert "Nobody answers at http://127.0.0.1:9" in told.stderr
