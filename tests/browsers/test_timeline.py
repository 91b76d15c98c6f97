"""Book, extend, be refused and release on the timeline, by dragging and by keyboard."""

from datetime import UTC, datetime, timedelta

from playwright.sync_api import Locator, Page, expect

from tests.bed.waiting import eventually
from tests.browsers.conftest import OpenPage
from tests.browsers.lab import Lab

DAYS = 7


def row(page: Page, node: str) -> Locator:
    return page.locator(f".trow[data-node='{node}']")


def x_of(lane: Locator, day: float) -> tuple[float, float]:
    """Return the place of a moment in a lane: days after the start of the window."""
    box = lane.bounding_box()
    assert box is not None
    return box["x"] + box["width"] * day / DAYS, box["y"] + box["height"] / 2


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, start[1])
    page.mouse.move(*end)
    page.mouse.up()


def later(days: float) -> str:
    midnight = datetime.now(UTC).replace(hour=0, minute=0)
    return f"{midnight + timedelta(days=days):%Y-%m-%d %H:%M}"


def test_booking_by_dragging_is_confirmed_extended_and_released(lab: Lab, open_as: OpenPage) -> None:
    page = open_as("alice", "/timeline?filter=r4-03")
    lane, panel, bar = row(page, "r4-03").locator(".lane"), page.locator("#panel"), page.locator(".bar.lease")
    drag(page, x_of(lane, 2), x_of(lane, 3))
    expect(panel).to_contain_text("Nothing is booked yet")
    expect(bar).to_have_count(0)
    panel.get_by_label("Name").fill("cvpr run")
    panel.get_by_role("button", name="Book").click()
    expect(panel).to_contain_text("Booked.")
    expect(bar).to_have_text("vision-lab · cvpr run")
    box = bar.bounding_box()
    assert box is not None
    edge = (box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
    drag(page, edge, x_of(lane, 4))
    panel.get_by_role("button", name="Extend by 1 d").click()
    expect(panel).to_contain_text("Changed.")
    lab.lease("secret soak", later(5), later(6), user="bob", host="r4-03")
    panel.get_by_label("Until").fill(f"{later(5.5).replace(' ', 'T')}")
    panel.get_by_role("button", name="Change the end").click()
    expect(panel.get_by_role("alert")).to_contain_text("Not enough hosts available")
    assert "secret" not in page.content()
    panel.get_by_text("Release", exact=True).click()
    panel.get_by_role("button", name="Release cvpr run").click()
    expect(panel).to_contain_text("Released.")
    expect(bar).to_have_text("booked")


def test_refused_draft_shows_the_reasons_and_an_offer_that_succeeds(lab: Lab, open_as: OpenPage) -> None:
    lab.lease("taken", later(1), later(3), user="bob", host="r1-08")
    page = open_as("alice", "/timeline?filter=r1-08")
    lane, panel = row(page, "r1-08").locator(".lane"), page.locator("#panel")
    drag(page, x_of(lane, 4), x_of(lane, 0.9))
    expect(panel.get_by_role("alert")).to_contain_text("booked in that time")
    expect(panel.locator(".funnel li").last).to_contain_text("free in that window")
    panel.get_by_role("button", name="the earliest start").click()
    expect(panel).to_contain_text("Booked.")
    expect(page.locator("a.bar.lease")).to_have_count(1)


def test_second_of_two_users_who_book_one_slot_gets_the_reason_and_an_offer(lab: Lab, open_as: OpenPage) -> None:
    pages = [open_as(user, f"/find?node=r2-09&start={later(2)}&end={later(3)}") for user in ("alice", "bob")]
    for page in pages:
        expect(page.get_by_role("status")).to_contain_text("Yes.")
    first, second = (page.locator("#answer") for page in pages)
    pages[0].get_by_role("button", name="Book").click()
    expect(first).to_contain_text("Booked.")
    pages[1].get_by_role("button", name="Book").click()
    expect(second.get_by_role("alert")).to_contain_text("booked in that time")
    second.get_by_role("button", name="the earliest start").click()
    expect(second).to_contain_text("Booked.")


def test_keyboard_books_extends_and_releases(lab: Lab, open_as: OpenPage) -> None:
    page = open_as("alice", "/timeline?filter=r3-10")
    panel = page.locator("#panel")
    page.get_by_label("Book r3-10").focus()
    page.keyboard.press("Enter")
    panel.get_by_label("From").fill(later(2).replace(" ", "T"))
    panel.get_by_label("Until").fill(later(3).replace(" ", "T"))
    page.keyboard.press("Enter")
    panel.get_by_label("Name").focus()
    page.keyboard.type("by key")
    page.keyboard.press("Enter")
    expect(panel).to_contain_text("Booked.")
    panel.get_by_label("Until").fill(later(4).replace(" ", "T"))
    page.keyboard.press("Enter")
    expect(panel).to_contain_text("Changed.")
    page.goto(f"{lab.url}/console/mine")
    page.get_by_role("button", name="Release by key").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text("Released.")


def test_everything_but_dragging_works_without_scripts(lab: Lab, open_as: OpenPage) -> None:
    page = open_as("alice", "/find?node=r4-11", java_script_enabled=False)
    page.get_by_label("From").fill(later(2).replace(" ", "T"))
    page.get_by_label("Until").fill(later(3).replace(" ", "T"))
    page.get_by_role("button", name="Check").click()
    page.get_by_label("Name").fill("plain")
    page.get_by_role("button", name="Book").click()
    expect(page.get_by_role("status")).to_have_text("Booked.")
    page.get_by_label("Until").fill(later(4).replace(" ", "T"))
    page.get_by_role("button", name="Change the end").click()
    expect(page.get_by_role("status")).to_have_text("Changed.")
    page.get_by_text("Release", exact=True).click()
    page.get_by_role("button", name="Release plain").click()
    expect(page.get_by_role("status")).to_have_text("Released.")


def test_timeline_groups_by_rack_and_zooms(open_as: OpenPage) -> None:
    page = open_as("root", "/timeline?by=rack&zoom=month")
    expect(page.locator(".group", has_text="rack arm")).to_contain_text("8 nodes, 8 available")
    page.get_by_role("link", name="day", exact=True).click()
    expect(page.locator(".axis .tick")).to_have_count(12)


def test_allocation_is_extended_and_released_under_mine(lab: Lab, open_as: OpenPage) -> None:
    wanted = {"name": "nightly", "resource_class": "silver", "candidate_nodes": ["r4-15"], "lifetime": 7200}
    lab.call("POST", "/dibs/v1/allocations", wanted, "alice")
    eventually(lambda: lab.call("GET", "/dibs/v1/allocations/nightly", user="alice")["state"] == "active")
    page = open_as("alice", "/mine")
    page.get_by_label("Extend nightly").click()
    page.get_by_label("Until").fill(later(2).replace(" ", "T"))
    page.get_by_role("button", name="Set the end").click()
    expect(page.get_by_role("status")).to_have_text("Extended.")
    assert lab.call("GET", "/dibs/v1/allocations/nightly", user="alice")["until"].startswith(later(2)[:10])
    page.get_by_role("button", name="Release nightly").click()
    expect(page.get_by_role("status")).to_have_text("Released.")


def test_two_users_see_each_others_bookings_without_a_reload(lab: Lab, open_as: OpenPage) -> None:
    page = open_as("alice", "/timeline?filter=r1-16")
    expect(page.locator(".trow")).to_have_count(1)
    made = lab.lease("new soak", later(1), later(2), user="bob", host="r1-16")
    expect(page.locator(".bar.lease")).to_have_text("booked")
    lab.call("DELETE", f"/reservation/v1/leases/{made['id']}", user="bob")
    expect(page.locator(".bar.lease")).to_have_count(0)
