"""Which transactions let a project use more."""

from typing import Any

import pytest

from dibs.events.model.events import Event
from dibs.quotas.model.growth import Growth, growth_of


def event(type: str, before: Any = None, after: Any = None, **options: Any) -> Event:
    return Event(type=type, before=before, after=after, **{"object_id": "o", "project": "p", **options})


@pytest.mark.parametrize(
    "grows",
    [
        event("claim.created", after={"CUSTOM_GOLD": 1}, node="n"),
        event("lease.created", after={"end_at": 5}),
        event("lease.changed", {"end_at": 5}, {"end_at": 6}),
        event("lease.changed", {"start_at": 5}, {"start_at": 4}),
        event("reservation.changed", {"most": 1}, {"most": 2, "lease": "o"}),
        event("hold.changed", {"expires_at": 5}, {"expires_at": 6}),
        event("allocation.changed", {"ends_at": 5}, {"ends_at": 6}),
    ],
)
def test_more_or_longer_use_grows(grows: Event) -> None:
    assert growth_of([grows], claims=True) == {"p": Growth(holders={"o"})}


@pytest.mark.parametrize(
    "same",
    [
        event("claim.deleted", before={"CUSTOM_GOLD": 1}, node="n"),
        event("lease.changed", {"end_at": 5}, {"end_at": 4}),
        event("lease.changed", {"start_at": 5}, {"start_at": 6}),
        event("lease.changed", {"name": "a"}, {"name": "b"}),
        event("lease.deleted", before={"end_at": 5}),
        event("reservation.changed", {"most": 2}, {"most": 1, "lease": "o"}),
        event("allocation.changed", {"ends_at": None}, {"ends_at": 6}),
        event("allocation.created", after={"state": "active"}),
        event("node.changed", {"extra": 1}, {"extra": 2}),
        event("claim.created", after={"CUSTOM_GOLD": 1}, node="n", project=None),
    ],
)
def test_release_and_shorter_use_do_not_grow(same: Event) -> None:
    assert growth_of([same], claims=True) == {}


@pytest.mark.parametrize("verb", ["created", "requeued"])
def test_allocation_without_a_node_enters_the_queue_of_its_class(verb: str) -> None:
    queued = event(f"allocation.{verb}", after={"state": "allocating", "resource_class": "gold"})
    assert growth_of([queued, queued], claims=True)["p"].queued == {"gold": 2}


def test_claim_that_passes_to_another_consumer_of_the_project_does_not_grow() -> None:
    given = event("claim.deleted", before={"CUSTOM_GOLD": 1}, node="n", object_id="hold")
    taken = event("claim.created", after={"CUSTOM_GOLD": 1}, node="n", object_id="allocation")
    assert growth_of([given, taken], claims=True) == {}
    assert growth_of([event("claim.deleted", node="n", project="q"), taken], claims=True) != {}


def test_claims_do_not_grow_where_they_are_not_checked() -> None:
    assert growth_of([event("claim.created", node="n")], claims=False) == {}
    assert growth_of([event("lease.created")], claims=False) != {}
