"""What others are told of a change: a signal within the process after the commit, and the events of claims."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from dibs.events.model.events import CHANGED, CREATED, DELETED, Event


class CapacityFreed(Struct, frozen=True):
    """A claim was released or a provider changed, so a queued allocation may find a node now."""


CAPACITY_FREED = CapacityFreed()

Amounts = Mapping[str, Mapping[str, int]]
"""What a consumer has claimed, by provider and then by resource class."""


def claim_events(consumer: str, project: str | None, before: Amounts, after: Amounts) -> Iterator[Event]:
    """Yield an event for each provider on which the claims of a consumer changed."""
    for provider in dict.fromkeys((*before, *after)):
        was, now = before.get(provider), after.get(provider)
        if was != now:
            verb = CREATED if was is None else DELETED if now is None else CHANGED
            yield Event(type=f"claim.{verb}", object_id=consumer, project=project, node=provider, before=was, after=now)
