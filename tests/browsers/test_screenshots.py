"""The pictures of the console in README and the documentation.

``SCREENSHOTS=docs/images pytest tests/browsers/test_screenshots.py`` writes them; without the variable they are taken
and thrown away.
"""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from tests.bed.session import Bed
from tests.bed.waiting import eventually
from tests.browsers.conftest import OpenPage
from tests.browsers.lab import GPU, Lab, names, start_lab, uuid_of

USERS = ("alice", "bob")
NAMES = {"alice": ("cvpr run", "train-42", "ablation"), "bob": ("soak", "rebuild", "firmware")}
KINDS = ("timeline", "find")
HELD, USED = "r3-02", "r4-03"
PIXELS = {"width": 1280, "height": 760}


@pytest.fixture(scope="module")
def lab(bed: Bed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A lab of its own, with a week of bookings."""
    server = start_lab(bed, tmp_path_factory.mktemp("pictures"))
    lab = Lab(server)
    now = datetime.now(UTC) + timedelta(minutes=2)
    for number, host in enumerate(names()):
        user = USERS[number % 2]
        if number % 9 == 4:
            continue
        if number % 4 == 2:
            wanted = {"resource_class": "gold", "candidate_nodes": [host], "lifetime": 9_000 * (number + 5)}
            kind = "gold" if number < 14 else "silver" if number < 32 else "arm"
            lab.call("POST", "/dibs/v1/allocations", wanted | {"name": f"ci-{host}", "resource_class": kind}, user)
        elif number % 3 != 1:
            start = now + timedelta(hours=number * 11 % 90)
            end = start + timedelta(hours=12 + number * 7 % 40)
            lab.lease(NAMES[user][number % 3], f"{start:%Y-%m-%d %H:%M}", f"{end:%Y-%m-%d %H:%M}", user, host)
    lab.call("POST", "/baremetal/v1/reservations", {"instance_uuid": str(uuid4()), "node_uuid": [uuid_of(HELD)]})
    waits = {"resource_class": "gold", "candidate_nodes": [USED], "lifetime": 90_000, "wait_seconds": 900_000}
    lab.call("POST", "/dibs/v1/allocations", {"name": "nightly", **waits}, "alice")
    eventually(lambda: lab.call("GET", "/dibs/v1/allocations/nightly", user="alice")["latest_start"])
    yield lab
    server.stop()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_console_looks_as_in_the_documentation(lab: Lab, open_as: OpenPage, tmp_path: Path, scheme: str) -> None:
    folder = Path(os.environ.get("SCREENSHOTS", tmp_path))
    page = open_as("alice", "/timeline", color_scheme=scheme, viewport=PIXELS)
    day = datetime.now(UTC) + timedelta(days=1)
    window = f"start={day:%Y-%m-%d}T09:00&end={day + timedelta(days=2):%Y-%m-%d}T09:00"
    wanted = f"/console/find?{window}&class=gold&count=9&traits={GPU}"
    page.evaluate("url => htmx.ajax('GET', url, {target: '#panel'})", wanted)
    expect(page.locator("#panel .funnel")).to_be_visible()
    page.screenshot(path=folder / f"console-timeline-{scheme}.png")
    page.goto(lab.url + wanted)
    page.screenshot(path=folder / f"console-find-{scheme}.png")
    assert all((folder / f"console-{kind}-{scheme}.png").stat().st_size > 10_000 for kind in KINDS)
