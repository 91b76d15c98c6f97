"""What events record of quotas and shares."""

from dibs.events.model.events import Event, Watch
from dibs.quotas.model.quotas import Quota
from dibs.quotas.model.shares import Share

_QUOTA = Watch(kind="quota", names=("limits",))
_SHARE = Watch(kind="share", names=("weight",))


def quota_event(before: Quota | None, after: Quota | None) -> Event | None:
    """Return the event of a change to the quota of a project."""
    present = after or before
    assert present is not None
    return _QUOTA.event(before, after, object_id=present.project, project=present.project)


def share_event(before: Share | None, after: Share) -> Event | None:
    """Return the event of another weight of a project; what the project had is no event."""
    before = before or Share(project=after.project)
    return _SHARE.event(before, after, object_id=after.project, project=after.project)
