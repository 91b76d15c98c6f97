"""Publish events: give those that were committed their positions in streams."""

from dibs.access.access import SERVICE
from dibs.database.runner import Runner
from dibs.events.operations import publishing


def publish_events(runner: Runner) -> int:
    """Publish the events there are, and return how many. Every conductor does this, and the lock lets one at a time."""
    published = 0
    while runner.read(publishing.has_unpublished_events, SERVICE, None):
        count = runner.write(publishing.publish_events, SERVICE, None)
        published += count
        if count < publishing.COUNT_MAX:
            break
    return published
