"""What every page has: no serious finding of axe, room on a phone, and a session that may end."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from dibs.http.auth.sessions import COOKIE
from tests.browsers.conftest import OpenPage, sign_in
from tests.browsers.lab import Lab, uuid_of

PAGES = (
    "/timeline",
    "/find?start=2030-06-01T10:00&end=2030-06-03T10:00&class=gold&count=15",
    "/fleet",
    "/mine",
    "/capacity",
    "/audit",
)


# What does not depend on the colours is the same in both schemes.
@pytest.mark.parametrize(("scheme", "options"), [("light", None), ("dark", {"runOnly": ["color-contrast"]})])
def test_axe_finds_nothing_serious_on_any_page(lab: Lab, open_as: OpenPage, scheme: str, options: Any) -> None:
    lease = lab.lease(f"axe {scheme}", "2030-06-01 10:00", "2030-06-02 10:00")
    page = open_as("alice", color_scheme=scheme)
    serious = {}
    for path in (*PAGES, f"/nodes/{uuid_of('arm-33')}", f"/leases/{lease['id']}"):
        page.goto(f"{lab.url}/console{path}")
        found = Axe().run(page, options=options).response["violations"]
        serious |= {
            (path, each["id"]): [node["html"] for node in each["nodes"]][:3]
            for each in found
            if each["impact"] in ("serious", "critical")
        }
    assert serious == {}


def test_every_page_fits_a_phone(lab: Lab, open_as: OpenPage) -> None:
    lab.lease("phone", "2030-06-11 10:00", "2030-06-12 10:00", host="arm-33")
    page = open_as("alice", viewport={"width": 390, "height": 800})
    for path in (*PAGES, f"/nodes/{uuid_of('arm-33')}"):
        page.goto(f"{lab.url}/console{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path


def test_ended_session_leads_to_the_form_and_back(lab: Lab, open_as: OpenPage) -> None:
    page = open_as("alice", "/fleet")
    page.context.add_cookies([{"name": COOKIE, "value": lab.ended_session("alice"), "url": lab.url}])
    page.locator("input[type=search]").fill("class:arm")
    expect(page.get_by_text("Your session has ended.")).to_be_visible()
    sign_in(page, "alice")
    expect(page.locator("tbody tr")).to_have_count(8)


def test_page_that_was_open_goes_on_after_a_restart_of_the_server(lab: Lab, open_as: OpenPage) -> None:
    page = open_as("alice", "/fleet")
    lab.server.restart()
    page.locator("input[type=search]").fill("class:arm")
    expect(page.locator("tbody tr")).to_have_count(8)
