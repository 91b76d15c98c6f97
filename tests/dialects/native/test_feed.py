"""Event streams: what a reader may see, where it resumes, and that it loses nothing when it reads slowly."""

from collections.abc import Iterator

import pytest

from dibs.access.access import EVERY_PROJECT, VisibleProjects
from dibs.conductor.events.publishing import publish_events
from dibs.dialects.native import feed as feeds
from dibs.dialects.native.feed import EventFeed, EventReader
from tests.bed.waiting import eventually
from tests.builders import Ledger


@pytest.fixture
def feed(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> EventFeed:
    monkeypatch.setattr(feeds, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(feeds, "HEARTBEAT_SECONDS", 1e9)
    return EventFeed(ledger.runner, lambda event: f"{event.position}:{event.type} ".encode())


@pytest.fixture(autouse=True)
def close_readers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    made: list[EventReader] = []
    original = EventFeed.add
    monkeypatch.setattr(EventFeed, "add", lambda self, **options: made.append(original(self, **options)) or made[-1])
    yield
    for reader in made:
        reader.close()


def read(
    feed: EventFeed, *, projects: VisibleProjects = EVERY_PROJECT, after: int = 0, **filters: str | None
) -> EventReader:
    return feed.add(projects=projects, node=filters.get("node"), type=filters.get("type"), after=after)


def heard(reader: EventReader, until: int) -> str:
    """Return what a reader gets until it has passed a position."""
    found = b""

    def all_of_it() -> bool:
        nonlocal found
        found += reader.take() or b""
        return reader.position >= until

    eventually(all_of_it)
    return (found + (reader.take() or b"")).decode().strip()


def test_reader_resumes_after_the_position_that_it_has_seen(ledger: Ledger, feed: EventFeed) -> None:
    for number in range(3):
        ledger.enrol(name=f"n{number}")
    publish_events(ledger.runner)
    assert heard(read(feed), 3) == "1:node.created 2:node.created 3:node.created"
    late = read(feed, after=2)
    assert heard(late, 3) == "3:node.created"
    ledger.enrol(name="next")
    publish_events(ledger.runner)
    assert heard(late, 4) == "4:node.created"


def test_event_is_not_shown_before_it_is_published(ledger: Ledger, feed: EventFeed) -> None:
    first, _ = ledger.enrol(name="a"), publish_events(ledger.runner)
    reader = read(feed)
    assert heard(reader, 1) == "1:node.created"
    ledger.change(first, description="unpublished")
    feed.serve()
    assert reader.take() == b""


@pytest.mark.parametrize(
    ("projects", "seen"),
    [
        (frozenset({"p1"}), "1:node.created"),
        (frozenset({"p2"}), "2:node.created"),
        (frozenset(), ""),
        (EVERY_PROJECT, "1:node.created 2:node.created 3:node.created"),
    ],
)
def test_reader_gets_only_events_of_its_projects(
    ledger: Ledger, feed: EventFeed, projects: VisibleProjects, seen: str
) -> None:
    for owner in ("p1", "p2", None):
        ledger.enrol(owner=owner)
    publish_events(ledger.runner)
    assert heard(read(feed, projects=projects), 3) == seen


def test_filters_by_node_and_type(ledger: Ledger, feed: EventFeed) -> None:
    one, _ = ledger.enrol(name="one"), ledger.enrol(name="two")
    ledger.change(one, description="changed")
    publish_events(ledger.runner)
    assert heard(read(feed, node=one.uuid), 3) == "1:node.created 3:node.changed"
    assert heard(read(feed, type="node.changed"), 3) == "3:node.changed"
    assert heard(read(feed, type="lease"), 3) == ""


def test_slow_reader_gets_every_event_in_portions(
    ledger: Ledger, feed: EventFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeds, "PIECES_MAX", 2)
    monkeypatch.setattr(feeds, "PORTION", 2)
    for number in range(7):
        ledger.enrol(name=f"n{number}")
    publish_events(ledger.runner)
    assert heard(read(feed), 7) == " ".join(f"{position}:node.created" for position in range(1, 8))


def test_quiet_stream_sends_heartbeats_with_its_position(
    ledger: Ledger, feed: EventFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.enrol(owner="p1")
    publish_events(ledger.runner)
    reader = read(feed, projects=frozenset({"p2"}))
    assert heard(reader, 1) == ""
    monkeypatch.setattr(feeds, "HEARTBEAT_SECONDS", -1.0)
    assert reader.take() == b": heartbeat\nid: 1\n\n"


def test_stream_ends_after_its_life(feed: EventFeed, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = read(feed)
    monkeypatch.setattr(feeds, "LIFE_SECONDS", -1.0)
    assert reader.take() is None


def test_thread_ends_with_the_last_reader(feed: EventFeed) -> None:
    reader = read(feed)
    assert feed._poller.is_running
    reader.close()
    eventually(lambda: not feed._poller.is_running)
