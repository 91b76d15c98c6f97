"""The stream that tells open pages to load again."""

import pytest

from dibs.console import live
from dibs.console.live import Changes
from tests.bed.waiting import eventually
from tests.builders import Ledger


def test_open_page_is_told_of_a_change_that_no_conductor_has_published_and_of_nothing_else(ledger: Ledger) -> None:
    changes = Changes(ledger.runner)
    page = changes.open()
    assert page.take() == b""
    ledger.enrol(name="n1")
    message = eventually(page.take)
    assert message is not None
    assert message.endswith(b"data: changed\n\n")
    assert b"n1" not in message
    assert page.take() == b""
    page.close()


def test_thread_ends_with_the_last_page(ledger: Ledger) -> None:
    changes = Changes(ledger.runner)
    pages = [changes.open() for _ in range(2)]
    assert changes._poller.is_running
    for page in pages:
        page.close()
    eventually(lambda: not changes._poller.is_running)


def test_stream_says_something_from_time_to_time_and_ends(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    page = Changes(ledger.runner).open()
    monkeypatch.setattr(live, "HEARTBEAT_SECONDS", 0)
    assert page.take() == b": heartbeat\n\n"
    monkeypatch.setattr(live, "LIFE_SECONDS", 0)
    assert page.take() is None
    page.close()
