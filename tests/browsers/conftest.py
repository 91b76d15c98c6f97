"""One Chromium and one console for all tests of this folder."""

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from tests.bed.browser import OPTIONS, chromium_path
from tests.bed.session import Bed
from tests.browsers.lab import PASSWORD, Lab, start_lab

TIMEOUT_SECONDS = 60
"""Bounds how long a failure takes on a busy machine."""

OpenPage = Callable[..., Page]


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium; Playwright's own browsers are not downloaded.

    Playwright keeps an event loop running in this thread, in which tests of other folders run theirs later.
    """
    expect.set_options(timeout=TIMEOUT_SECONDS * 1000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=list(OPTIONS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def lab(bed: Bed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A server with http_basic and forty machines. The tests share it: each books its own machines."""
    server = start_lab(bed, tmp_path_factory.mktemp("lab"))
    yield Lab(server)
    server.stop()


@pytest.fixture
def console_url(lab: Lab) -> str:
    """The address of the server whose console ``open_as`` opens."""
    return lab.url


@pytest.fixture(scope="package")
def windows(chromium: Browser) -> "Windows":
    """The windows that the tests of this folder share."""
    return Windows(chromium)


@pytest.fixture
def open_as(windows: "Windows", console_url: str) -> Iterator[OpenPage]:
    """Return a function that opens a page of the console as a user, in a browser session of the user's own.

    At the end of the test, no page may have logged an error or asked another host.
    """

    def open_page(user: str | None, path: str = "", **options: object) -> Page:
        return windows.open(console_url, user, path, options)

    yield open_page
    windows.leave()
    assert windows.take_complaints() == []


class Windows:
    """One window for each console, user and kind of browser; tests that follow each other find it signed in.

    A new window and its sign-in cost half a second of CPU time each.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._pages: dict[str, Page] = {}
        self._used: dict[Page, str] = {}
        self._complaints: list[str] = []

    def open(self, console_url: str, user: str | None, path: str, options: dict[str, object]) -> Page:
        """Go to a path of a console, and sign in the first time."""
        key = repr((console_url, user, options))
        page = self._pages.get(key) or self._new_page(console_url, options)
        self._used[page] = console_url
        page.goto(f"{console_url}/console{path}")
        if user is not None and key not in self._pages:
            sign_in(page, user)
        self._pages[key] = page
        return page

    def leave(self) -> None:
        """Leave live pages, which would load each change. Another site than the console would start another process."""
        for page, console_url in self._used.items():
            page.goto(f"{console_url}/console/find")
        self._used.clear()

    def take_complaints(self) -> list[str]:
        """Return what pages have logged since the last call, and the addresses that they asked of other hosts."""
        complaints, self._complaints = self._complaints, []
        return complaints

    def _new_page(self, console_url: str, options: dict[str, object]) -> Page:
        context = self._browser.new_context(**{"viewport": {"width": 1360, "height": 820}, **options})  # type: ignore[arg-type]
        context.set_default_timeout(TIMEOUT_SECONDS * 1000)
        context.on("console", lambda message: self._complaints.extend(_complaint(message)))
        context.on("weberror", lambda error: self._complaints.append(str(error.error)))
        context.on("request", lambda request: self._complaints.extend(_foreign(request.url, console_url)))
        return context.new_page()


def sign_in(page: Page, user: str) -> None:
    """Fill in the form that the page shows."""
    page.get_by_label("User").fill(user)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name="Sign out").wait_for()


def _complaint(message: ConsoleMessage) -> list[str]:
    # A browser logs that it cannot reach a server that restarts, whatever the page does about it.
    lost_connection = "net::ERR_" in message.text
    return [message.text] if message.type in ("error", "warning") and not lost_connection else []


def _foreign(url: str, console_url: str) -> list[str]:
    return [] if urlsplit(url).netloc == urlsplit(console_url).netloc else [f"asked {url}"]
