"""What events record of servers."""

from dibs.events.model.events import Event, Watch
from dibs.servers.model.servers import Server

_SERVER = Watch(
    kind="server",
    names=("name", "project_id", "user_id", "status", "fault", "flavor", "image", "availability_zone", "properties"),
    hidden=frozenset({"properties"}),
)


def server_event(before: Server | None, after: Server | None) -> Event | None:
    """Return the event of a change to a server."""
    present = after or before
    assert present is not None
    return _SERVER.event(before, after, object_id=present.uuid, project=present.project_id)
