"""What events record of quotas."""

from dibs.events.model.events import Event, Watch
from dibs.quotas.model.quotas import Quota

_QUOTA = Watch(kind="quota", names=("limits",))


def quota_event(before: Quota | None, after: Quota | None) -> Event | None:
    """Return the event of a change to the quota of a project."""
    present = after or before
    assert present is not None
    return _QUOTA.event(before, after, object_id=present.project, project=present.project)
