"""The charts of capacity, and the audit."""

from playwright.sync_api import expect

from tests.browsers.conftest import OpenPage
from tests.browsers.lab import Lab


def test_capacity_has_a_chart_and_a_row_for_each_class(open_as: OpenPage) -> None:
    page = open_as("alice", "/capacity")
    expect(page.locator(".chart canvas")).to_have_count(3)
    expect(page.locator("tbody tr")).to_have_count(3)
    expect(page.locator("tbody tr").first).to_contain_text("silver18")


def test_capacity_shows_what_was_taken_before(open_as: OpenPage) -> None:
    page = open_as("alice", "/capacity")
    gold = page.get_by_role("region", name="gold")
    expect(gold).to_contain_text("taken before")
    taken = (gold.locator(".chart").get_attribute("data-taken") or "").split(",")
    assert (len(taken), taken[:4]) == (36 + 120, ["1", "1", "1", "1"])


def test_audit_shows_a_user_the_changes_of_its_project(lab: Lab, open_as: OpenPage) -> None:
    lab.lease("audited", "2030-08-01 10:00", "2030-08-02 10:00", user="alice", host="r1-20")
    lab.lease("unseen", "2030-08-01 10:00", "2030-08-02 10:00", user="bob", host="r1-24")
    page = open_as("alice", "/audit?type=lease.created")
    expect(page.locator("tbody tr").first).to_contain_text("name: audited")
    assert "unseen" not in page.content()
    page.get_by_label("Type").fill("node")
    expect(page.get_by_text("No event matches this filter.")).to_be_visible()
