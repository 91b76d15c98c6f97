"""The fleet and the page of a node, in a browser."""

import re
from datetime import UTC, datetime, timedelta

from playwright.sync_api import expect

from tests.browsers.conftest import OpenPage, sign_in
from tests.browsers.lab import GPU, Lab, uuid_of


def test_user_signs_in_filters_the_fleet_and_shares_the_filter(lab: Lab, open_as: OpenPage) -> None:
    page = open_as("alice", "/fleet")
    page.context.clear_cookies()
    page.reload()
    sign_in(page, "alice")
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(40)
    page.keyboard.press("/")
    page.keyboard.type(f"class:gold trait:{GPU} maintenance")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("PSU swap")
    page.wait_for_url(lambda url: "filter=class%3Agold" in url)
    page.reload()
    expect(rows).to_have_count(1)
    page.locator("input[type=search]").fill("colour:red")
    expect(page.get_by_role("alert")).to_contain_text("is not a filter")


def test_node_page_shows_bookings_and_hides_those_of_other_projects(lab: Lab, open_as: OpenPage) -> None:
    lab.lease("secret soak", "2030-03-01 10:00", "2030-03-02 10:00", user="bob", host="r3-02")
    page = open_as("alice", f"/nodes/{uuid_of('r3-02')}")
    expect(page.get_by_role("heading", level=1)).to_have_text("r3-02")
    expect(page.get_by_text(GPU)).to_be_visible()
    assert "secret" not in page.content()
    assert "storage ·" not in page.content()


def test_node_page_shows_the_history_of_its_state_to_its_owner(lab: Lab, open_as: OpenPage) -> None:
    lab.call("PUT", "/baremetal/v1/nodes/arm-40/maintenance", {"reason": "new fan"})
    lab.call("DELETE", "/baremetal/v1/nodes/arm-40/maintenance")
    history = open_as("bob", f"/nodes/{uuid_of('arm-40')}").get_by_role("region", name="State history")
    expect(history.locator("tbody tr")).to_have_count(2)
    expect(history.locator("tbody tr").first).to_contain_text("maintenance: yes → no")
    expect(history.locator("tbody tr").last).to_contain_text("maintenance reason: new fan")


def test_user_of_another_project_sees_no_node(open_as: OpenPage) -> None:
    page = open_as("eve", "/fleet")
    expect(page.get_by_text("your project neither owns nor leases any")).to_be_visible()


def test_times_are_in_the_zone_of_the_browser_with_utc_on_hover(lab: Lab, open_as: OpenPage) -> None:
    lab.lease("new year", "2030-01-01 10:00", "2030-01-02 10:00", host="r3-06")
    page = open_as("alice", f"/nodes/{uuid_of('r3-06')}", timezone_id="Asia/Tokyo")
    start = page.locator("time").first
    expect(start).to_have_attribute("title", "2030-01-01 10:00 UTC")
    expect(start).to_have_text("1 Jan 2030 19:00")


def test_fleet_loads_more_rows_on_scroll_and_works_without_scripts(lab: Lab, open_as: OpenPage) -> None:
    page = open_as("root", "/fleet?filter=class:arm", java_script_enabled=False)
    expect(page.locator("tbody tr")).to_have_count(8)
    page.locator("input[type=search]").fill("class:silver")
    page.locator("input[type=search]").press("Enter")
    expect(page.locator("tbody tr")).to_have_count(18)


def test_bulk_action_shows_affected_leases_then_counts_and_explains_failures(lab: Lab, open_as: OpenPage) -> None:
    lab.lease("long course", "2030-07-01 10:00", "2030-07-02 10:00", user="alice", host="arm-35")
    page = open_as("alice", "/fleet?filter=arm-3")
    for name in ("arm-35", "arm-36"):
        page.get_by_label(f"Choose {name}").check()
    page.get_by_label("Reason or trait").fill("new switch")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Set maintenance: 2 nodes")
    expect(page.get_by_text("Nothing has changed yet")).to_be_visible()
    page.get_by_role("button", name="Set maintenance on 2 nodes").click()
    expect(page.get_by_role("status")).to_have_text("0 of 2 nodes changed, 2 refused.")
    expect(page.get_by_role("row").last).to_contain_text("Your roles do not allow this")


def test_operator_sees_where_leases_move_and_sets_maintenance_on_several_nodes(lab: Lab, open_as: OpenPage) -> None:
    window = [f"{datetime.now(UTC) + timedelta(days=days):%Y-%m-%d %H:%M}" for days in (30, 31)]
    arm = '["==", "$resource_class", "arm"]'
    pinned = lab.lease("pinned", *window, host="arm-38")
    all_others = lab.lease("all others", *window, count=7, wanted=arm)
    lab.call("DELETE", f"/reservation/v1/leases/{pinned['id']}", user="alice")
    lab.lease("course", *window, wanted=arm)
    lab.call("DELETE", f"/reservation/v1/leases/{all_others['id']}", user="alice")
    lab.lease("training", *window, host="arm-37")
    page = open_as("root", "/fleet?filter=arm-3")
    for name in ("arm-37", "arm-38"):
        page.get_by_label(f"Choose {name}").check()
    page.get_by_label("Reason or trait").fill("new switch")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("row", name="training")).to_contain_text("no other machine")
    expect(page.get_by_role("row", name="course").locator(".tag")).to_have_text(re.compile("arm-3[34569]|arm-40"))
    page.get_by_role("button", name="Set maintenance on 2 nodes").click()
    expect(page.get_by_role("status")).to_have_text("2 of 2 nodes changed.")
    assert lab.call("GET", "/baremetal/v1/nodes/arm-37")["maintenance_reason"] == "new switch"
    for name in ("arm-37", "arm-38"):
        lab.call("DELETE", f"/baremetal/v1/nodes/{name}/maintenance")
