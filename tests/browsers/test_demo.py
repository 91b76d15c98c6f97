"""The console on the fleet of ``make demo``."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browsers.conftest import OpenPage
from tests.browsers.test_timeline import drag, row, x_of

DEMO = Path(__file__).parents[2] / "tools" / "demo.py"
VIEWS = {
    "Find a machine": "When do you need it",
    "Fleet": "r2-c05",
    "Mine": "train-r1-c08",
    "Capacity": "36 nodes, 1 out of service",
    "Audit": "lease.created",
}


@pytest.fixture(scope="module")
def demo() -> Iterator[str]:
    """What a demo prints until it leaves the console open. Ctrl-C ends it."""
    command = [sys.executable, str(DEMO), "--stay"]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    # Processes of a shell's background job ignore Ctrl-C.
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True, preexec_fn=heed)
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line)
        if "stays open" in line:
            break
    yield "".join(lines)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    process.stdout.close()


@pytest.fixture
def console_url(demo: str) -> str:
    found = re.search(r"The console stays open at (\S+)/ until Ctrl-C", demo)
    assert found is not None, demo
    return found.group(1)


def test_demo_runs_all_sections(demo: str) -> None:
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
        assert line in demo


def test_every_view_shows_the_demo_fleet_and_a_free_machine_is_booked_by_dragging(
    console_url: str, open_as: OpenPage
) -> None:
    page = open_as(None)
    expect(page.locator(".group", has_text="compute")).to_contain_text("36 nodes")
    for name, text in VIEWS.items():
        page.get_by_role("navigation", name="Pages").get_by_role("link", name=name).click()
        expect(page.locator("main")).to_contain_text(text)
    page.goto(f"{console_url}/console/timeline?filter=r6-s08")
    page.get_by_role("link", name="Later").click()
    lane = row(page, "r6-s08").locator(".lane")
    drag(page, x_of(lane, 2), x_of(lane, 3))
    page.get_by_role("button", name="Book").click()
    expect(page.locator("#panel")).to_contain_text("Booked.")
    expect(row(page, "r6-s08").locator(".bar.lease")).to_have_count(1)
