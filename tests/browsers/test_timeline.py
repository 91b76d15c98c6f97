"""Book, extend, be refused and release on the timeline, by dragging and by keyboard."""

import re
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.bed.waiting import eventually
from tests.browsers.conftest import OpenPage
from tests.browsers.lab import Lab, uuid_of

DAYS = 7
TABS_MAX = 60


def row(page: Page, node: str) -> Locator:
    return page.locator(f".trow[data-node='{node}']")


def box_of(target: Locator) -> FloatRect:
    """Return the place of an element; it has none in the moment in which a live update replaces it."""
    return eventually(target.bounding_box)


def x_of(lane: Locator, day: float) -> tuple[float, float]:
    """Return the place of a moment in a lane: days after the start of the window."""
    box = box_of(lane)
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


def reach(page: Page, target: Locator) -> None:
    """Move the focus forwards with the keyboard until the target has it."""
    target.wait_for()
    for _ in range(TABS_MAX):
        if target.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard does not reach {target}")


def press_on(page: Page, target: Locator) -> None:
    reach(page, target)
    page.keyboard.press("Enter")


def enter_date(page: Page, target: Locator, days: float) -> None:
    """Type a date into the parts of its input: month, day, year, and the time of day."""
    reach(page, target)
    page.keyboard.type(f"{datetime.fromisoformat(later(days)):%m%d%Y}")
    page.keyboard.press("Tab")
    page.keyboard.type(f"{datetime.fromisoformat(later(days)):%I%M%p}")
    expect(target).to_have_value(later(days).replace(" ", "T"))


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
    box = box_of(bar)
    edge = (box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
    drag(page, edge, x_of(lane, 4))
    panel.get_by_role("button", name="Extend by 1 d").click()
    expect(panel).to_contain_text("Changed.")
    lab.lease("secret soak", later(5), later(6), user="bob", host="r4-03")
    panel.get_by_label("Until").fill(f"{later(5.5).replace(' ', 'T')}")
    panel.get_by_role("button", name="Change the end").click()
    expect(panel.get_by_role("alert")).to_contain_text("Not enough hosts available")
    assert "secret" not in page.content()
    expect(panel.get_by_role("button", name="gold for the rest")).to_be_visible()
    panel.get_by_role("button", name="Extend to").click()
    expect(panel).to_contain_text("Changed.")
    panel.get_by_text("Release", exact=True).click()
    panel.get_by_role("button", name="Release cvpr run").click()
    expect(panel).to_contain_text("Released.")
    expect(bar).to_have_count(1)
    expect(bar).to_have_text("booked")


def test_refused_draft_shows_the_reasons_and_an_offer_that_succeeds(lab: Lab, open_as: OpenPage) -> None:
    lab.lease("taken", later(1), later(3), user="bob", host="r1-08")
    page = open_as("alice", "/timeline?filter=r1-08")
    lane, panel = row(page, "r1-08").locator(".lane"), page.locator("#panel")
    drag(page, x_of(lane, 4), x_of(lane, 0.9))
    expect(panel.get_by_role("alert")).to_contain_text("booked in that time")
    expect(panel.locator(".funnel li").last).to_contain_text("free in that window")
    expect(panel.get_by_role("button", name="Book another gold machine")).to_be_visible()
    panel.get_by_role("button", name="the earliest start").click()
    expect(panel).to_contain_text("Booked.")
    expect(page.locator("a.bar.lease")).to_have_count(1)


def test_one_of_two_users_who_race_for_a_slot_gets_it_and_the_other_the_reason_and_an_offer(open_as: OpenPage) -> None:
    pages = [open_as(user, f"/find?node=r2-09&start={later(2)}&end={later(3)}") for user in ("alice", "bob")]
    for page in pages:
        expect(page.get_by_role("status")).to_contain_text("Yes.")
    for page in pages:
        # Both clicks before either answer: the browsers send their requests at the same time.
        page.evaluate("document.querySelector('#answer form button').click()")
    answers = [page.locator("#answer").filter(has_text=re.compile("Booked|Not in this window")) for page in pages]
    texts = [answer.inner_text() for answer in answers]
    (loser,) = (answer for answer, text in zip(answers, texts, strict=True) if "Booked." not in text)
    expect(loser.get_by_role("alert")).to_contain_text("booked in that time")
    loser.get_by_role("button", name="the earliest start").click()
    expect(loser).to_contain_text("Booked.")


def test_keyboard_alone_books_extends_and_releases(open_as: OpenPage) -> None:
    page = open_as("alice", "/timeline?filter=r3-10")
    panel = page.locator("#panel")
    press_on(page, page.get_by_label("Book r3-10"))
    enter_date(page, panel.get_by_label("From"), 2)
    enter_date(page, panel.get_by_label("Until"), 3)
    page.keyboard.press("Enter")
    reach(page, panel.get_by_label("Name"))
    page.keyboard.type("by key")
    page.keyboard.press("Enter")
    expect(panel).to_contain_text("Booked.")
    enter_date(page, panel.get_by_label("Until"), 4)
    page.keyboard.press("Enter")
    expect(panel).to_contain_text("Changed.")
    press_on(page, panel.get_by_text("Release", exact=True))
    press_on(page, panel.get_by_role("button", name="Release by key"))
    expect(panel).to_contain_text("Released.")


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
    page.get_by_role("link", name="8 h", exact=True).click()
    expect(page.locator(".axis .tick")).to_have_count(8)
    first = page.locator(".axis .tick").first.text_content() or ""
    page.get_by_role("link", name="Later").click()
    expect(page.locator(".axis .tick").first).not_to_have_text(first)
    page.get_by_role("link", name="Earlier").click()
    expect(page.locator(".axis .tick").first).to_have_text(first)


def test_two_users_see_each_others_bookings_without_a_reload(open_as: OpenPage) -> None:
    alice, bob = (open_as(user, "/timeline?filter=r1-16") for user in ("alice", "bob"))
    for page in (alice, bob):
        expect(row(page, "r1-16")).to_be_visible()
        page.evaluate("document.body.dataset.same = 'page'")
    drag(bob, x_of(row(bob, "r1-16").locator(".lane"), 2), x_of(row(bob, "r1-16").locator(".lane"), 3))
    bob.get_by_role("button", name="Book").click()
    expect(alice.locator(".bar.lease")).to_have_text("booked")
    bob.get_by_text("Release", exact=True).click()
    bob.get_by_role("button", name="Release r1-16").click()
    expect(alice.locator(".bar.lease")).to_have_count(0)
    assert [page.evaluate("document.body.dataset.same") for page in (alice, bob)] == ["page", "page"]


def test_timeline_shows_cleaning_and_counts_reservations_down(lab: Lab, open_as: OpenPage) -> None:
    lab.lease("wash", later(1), later(2), host="r2-17")
    lab.call("POST", "/baremetal/v1/reservations", {"instance_uuid": str(uuid4()), "node_uuid": [uuid_of("r3-18")]})
    page = open_as("alice", "/timeline?filter=r2-17")
    expect(row(page, "r2-17").locator(".bar.clean")).to_have_count(2)
    page.goto(f"{lab.url}/console/timeline?filter=r3-18")
    hold = row(page, "r3-18").locator(".bar.hold")
    expect(hold).to_have_text(re.compile(r"^\d\d:\d\d$"))
