"""What a project has and waits for."""

import re

from playwright.sync_api import expect

from tests.bed.waiting import eventually
from tests.browsers.conftest import OpenPage
from tests.browsers.lab import Lab
from tests.browsers.test_timeline import later


def allocate(lab: Lab, name: str, node: str, **options: object) -> None:
    wanted = {"name": name, "resource_class": "silver", "candidate_nodes": [node], **options}
    lab.call("POST", "/dibs/v1/allocations", wanted, "alice")


def test_allocation_is_extended_and_released_under_mine(lab: Lab, open_as: OpenPage) -> None:
    allocate(lab, "nightly", "r4-15", lifetime=7200)
    eventually(lambda: lab.call("GET", "/dibs/v1/allocations/nightly", user="alice")["state"] == "active")
    page = open_as("alice", "/mine")
    page.get_by_label("Extend nightly").click()
    page.get_by_label("Until").fill(later(2).replace(" ", "T"))
    page.get_by_role("button", name="Set the end").click()
    expect(page.get_by_role("status")).to_have_text("Extended.")
    assert lab.call("GET", "/dibs/v1/allocations/nightly", user="alice")["until"].startswith(later(2)[:10])
    page.get_by_role("button", name="Release nightly").click()
    expect(page.get_by_role("status")).to_have_text("Released.")


def test_allocation_that_waits_shows_its_position_and_promised_time(lab: Lab, open_as: OpenPage) -> None:
    allocate(lab, "before", "r4-19", lifetime=7200)
    eventually(lambda: lab.call("GET", "/dibs/v1/allocations/before", user="alice")["state"] == "active")
    for name in ("first", "second"):
        allocate(lab, name, "r4-19", lifetime=3600, wait_seconds=90_000)
    page = open_as("alice", "/mine")
    turn = page.get_by_role("row").filter(has_text="second").locator(".turn")
    # The page asks again while something waits: a conductor promises the start a little later.
    expect(turn).to_have_text(re.compile(r"Position 2 in the queue: starts .*\d\d:\d\d at the latest\."))
    page.goto(f"{lab.url}/console/timeline")
    expect(page.locator(".trow", has_text="first").locator(".bar.queue")).to_contain_text("at the latest")
    for name in ("second", "first", "before"):
        lab.call("DELETE", f"/baremetal/v1/allocations/{name}", user="alice")
