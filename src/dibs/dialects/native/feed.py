"""The event streams of this process: one thread reads what was published, for all of them.

Readers at the same position share one query. A reader that resumes from an old position, or does not read for a while,
gets its events in portions, until it has caught up.
"""

import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable

from dibs.access.access import EVERY_PROJECT, SERVICE, VisibleProjects
from dibs.database.runner import Runner
from dibs.events.model.stored import StoredEvent
from dibs.events.operations.listing import ReadPublished, read_published
from dibs.http.polling import Poller

POLL_SECONDS = 0.5
"""How often the thread looks for new events."""
PORTION = 500
"""How many events one query reads."""
PIECES_MAX = 1_000
"""How many events wait for a reader; it gets the others once it has read these."""
POSITIONS_MAX = 50
"""How many positions of readers that catch up are served in one round."""
HEARTBEAT_SECONDS = 15.0
LIFE_SECONDS = 3_600.0
"""After this, a stream ends: the client connects again, and its credentials and rules are checked again."""

Render = Callable[[StoredEvent], bytes]


class EventReader:
    """One stream. The thread of the feed adds pieces, and the shell takes them on its event loop."""

    def __init__(
        self, feed: "EventFeed", projects: VisibleProjects, node: str | None, type: str | None, position: int
    ) -> None:
        self.position = position
        """The position up to which events were added, or passed over."""
        self._feed = feed
        self._projects = projects
        self._node = node
        self._type = type
        self._pieces: deque[bytes] = deque()
        self._began = self._spoke = time.monotonic()

    @property
    def has_room(self) -> bool:
        """True while more events may be added."""
        return len(self._pieces) < PIECES_MAX

    def offer(self, event: StoredEvent, render: Render) -> None:
        """Add an event if the reader may see it and asked for it."""
        if self._accepts(event):
            self._pieces.append(render(event))
        self.position = event.position or self.position

    def take(self) -> bytes | None:
        """Return what is new; a heartbeat when nothing was for a while; b"" when there is nothing; None at the end."""
        now = time.monotonic()
        if now - self._began > LIFE_SECONDS:
            return None
        pieces = b"".join(self._pieces.popleft() for _ in range(len(self._pieces)))
        if not pieces and now - self._spoke > HEARTBEAT_SECONDS:
            # An id without data: the client resumes from here, although it was shown nothing.
            pieces = b": heartbeat\nid: %d\n\n" % self.position
        if pieces:
            self._spoke = now
        return pieces

    def close(self) -> None:
        """Stop reading."""
        self._feed.remove(self)

    def _accepts(self, event: StoredEvent) -> bool:
        if self._projects is not EVERY_PROJECT and event.project_id not in self._projects:
            return False
        if self._node not in (None, event.node):
            return False
        return self._type in (None, event.type, event.kind)


class EventFeed:
    """Reads published events for the readers of this process."""

    def __init__(self, runner: Runner, render: Render) -> None:
        self._runner = runner
        self._render = render
        self._lock = threading.Lock()
        self._readers: list[EventReader] = []
        self._poller = Poller("dibs-events", self.serve, POLL_SECONDS)

    def add(self, *, projects: VisibleProjects, node: str | None, type: str | None, after: int) -> EventReader:
        """Begin a stream of the events after a position that a caller may see."""
        reader = EventReader(self, projects, node, type, after)
        with self._lock:
            self._readers.append(reader)
        self._poller.open()
        return reader

    def remove(self, reader: EventReader) -> None:
        """End a stream."""
        with self._lock:
            if reader not in self._readers:
                return
            self._readers.remove(reader)
        self._poller.close()

    def serve(self) -> None:
        """Give each reader the events after its position, a portion at most."""
        waiting: dict[int, list[EventReader]] = defaultdict(list)
        with self._lock:
            for reader in self._readers:
                if reader.has_room:
                    waiting[reader.position].append(reader)
        for position in sorted(waiting, reverse=True)[:POSITIONS_MAX]:
            found = self._runner.read(read_published, SERVICE, ReadPublished(after=position, count_max=PORTION))
            for event in found:
                for reader in waiting[position]:
                    reader.offer(event, self._render)
