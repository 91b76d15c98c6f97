"""Find a machine: yes, or what remains after each condition, and offers that succeed."""

from playwright.sync_api import expect

from tests.browsers.conftest import OpenPage
from tests.browsers.lab import GPU, Lab

HAS_GPU = f'["==", "$trait:{GPU}", "required"]'
OFFERS = {
    "the earliest start for 2 d": f"class=gold&count=6&traits={GPU}",
    "the longest time from that start": f"class=gold&count=6&traits={GPU}",
    "instead of 6": f"class=gold&count=6&traits={GPU}",
    f"Book without {GPU}": f"class=gold&count=6&traits={GPU}",
    "of another class": "class=gold&count=9",
}
"""A part of the button of each kind of offer, and a request that gets it: five machines with the trait are booked."""


def test_every_kind_of_offer_succeeds(lab: Lab, open_as: OpenPage) -> None:
    page = open_as("alice", "/find")
    for month, (button, wanted) in enumerate(OFFERS.items(), 1):
        day = f"2031-{month:02}"
        lab.lease("five", f"{day}-02 10:00", f"{day}-05 10:00", user="bob", count=5, wanted=HAS_GPU)
        page.goto(f"{lab.url}/console/find?start={day}-01T10:00&end={day}-03T10:00&{wanted}")
        answer = page.locator("#answer")
        expect(answer.get_by_role("alert")).to_contain_text("Not in this window")
        answer.get_by_role("button", name=button).click()
        expect(answer).to_contain_text("Booked.")
    # Allocations of other tests get no node that a lease has booked at any time.
    for user in ("alice", "bob"):
        for lease in lab.call("GET", "/reservation/v1/leases", user=user)["leases"]:
            if lease["start_date"].startswith("2031"):
                lab.call("DELETE", f"/reservation/v1/leases/{lease['id']}", user=user)


def test_funnel_counts_what_each_condition_leaves_while_the_user_types(lab: Lab, open_as: OpenPage) -> None:
    page = open_as("alice", "/find?start=2031-08-01T10:00&end=2031-08-03T10:00")
    expect(page.get_by_role("status")).to_contain_text("Yes.")
    page.get_by_label("Class").fill("gold")
    page.get_by_label("Traits").fill(GPU)
    page.get_by_label("How many").fill("20")
    stages = page.locator(".funnel li")
    expect(stages).to_have_count(5)
    assert stages.all_inner_texts()[:3] == [
        "40\nmachines that can be booked",
        "14\nof class gold",
        f"9\nhave {GPU}",
    ]


def test_request_beyond_the_quota_of_the_project_is_not_allowed(lab: Lab, open_as: OpenPage) -> None:
    lab.call("PUT", "/dibs/v1/quotas/strangers", {"nodes": 2})
    page = open_as("eve", "/find?start=2031-09-01T10:00&end=2031-09-03T10:00&count=3")
    expect(page.get_by_role("alert")).to_contain_text("Not allowed.")
    page.get_by_label("How many").fill("2")
    expect(page.get_by_role("status")).to_contain_text("Yes.")
