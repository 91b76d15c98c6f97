"""A thousand nodes on the timeline."""

from collections.abc import Iterator
from math import ceil

import pytest
from playwright.sync_api import expect

from dibs.console.views.timeline import PAGE_ROWS
from tests import fleet
from tests.bed.dibs_server import DibsServer
from tests.bed.session import Bed
from tests.browsers.conftest import OpenPage

NODES = 1_000
SCREEN_ROWS = 200
"""More rows than the screen has room for, with those that a browser prepares beside it."""

DRAWN = """
() => [...document.querySelectorAll(".trow[data-node] .name a")]
  .filter((name) => name.checkVisibility({ contentVisibilityAuto: true })).length
"""


@pytest.fixture(scope="module")
def console_url(bed: Bed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    url = bed.databases("sqlite").fresh()
    fleet.fill(url, NODES)
    server = DibsServer(url, tmp_path_factory.mktemp("thousand"))
    server.start()
    yield server.url
    server.stop()


def test_rows_load_on_scroll_once_each_and_only_those_on_screen_are_drawn(open_as: OpenPage) -> None:
    page = open_as(None, "/timeline")
    rows = page.locator(".trow[data-node]")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    expect(rows).to_have_count(PAGE_ROWS)
    while (count := rows.count()) < NODES:
        page.locator(".grid").evaluate("grid => grid.scrollTo(0, grid.scrollHeight)")
        expect(rows).not_to_have_count(count)
    names = rows.evaluate_all("rows => rows.map((row) => row.dataset.node)")
    assert len(set(names)) == len(names) == NODES
    assert sum("/timeline?" in url for url in asked) == ceil(NODES / PAGE_ROWS) - 1
    assert 0 < page.evaluate(DRAWN) < SCREEN_ROWS
