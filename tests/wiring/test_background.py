"""The threads of a process start once and stop together."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from dibs.database.runner import DatabaseClock
from dibs.integrations.keystone_limits import KeystoneLimits
from dibs.wiring.background import Background
from tests.builders import Ledger


@contextmanager
def started(background: Background) -> Iterator[list[threading.Thread]]:
    """Start twice, and yield the threads that this began."""
    before = set(threading.enumerate())
    background.start()
    background.start()
    try:
        yield [thread for thread in threading.enumerate() if thread not in before]
    finally:
        background.stop()


def names_of(threads: list[threading.Thread]) -> list[str]:
    return sorted(thread.name for thread in threads)


def test_site_with_its_own_quotas_reads_only_the_time(ledger: Ledger) -> None:
    with started(Background(DatabaseClock(ledger.store))) as threads:
        assert names_of(threads) == ["dibs-clock"]


def test_limits_are_read_from_the_start_to_the_stop_even_when_keystone_is_away(ledger: Ledger) -> None:
    """Nothing listens on port 9."""
    limits = KeystoneLimits(
        "http://127.0.0.1:9/v3", username="dibs", password="secret", user_domain="Default", service="dibs"
    )
    with started(Background(DatabaseClock(ledger.store), limits)) as threads:
        assert names_of(threads) == ["dibs-clock", "dibs-limits"]
        assert all(thread.is_alive() for thread in threads)
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()
