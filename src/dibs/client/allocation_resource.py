"""An allocation as a resource of openstacksdk."""

from collections.abc import Mapping
from typing import Any

from openstack import resource

from dibs.client.errors import AllocationFailed, DibsError, TimedOut, check_same


class Allocation(resource.Resource):
    """An allocation with the attribute names of openstacksdk and the additions of Dibs."""

    resources_key = "allocations"
    base_path = "/allocations"
    allow_fetch = True
    allow_list = True
    _query_mapping = resource.QueryParameters("state", "resource_class", "batch")

    id: str = resource.Body("uuid", alternate_id=True)
    name: str = resource.Body("name")
    state: str = resource.Body("state")
    resource_class: str = resource.Body("resource_class")
    traits: list[str] = resource.Body("traits", type=list)
    candidate_nodes: list[str] = resource.Body("candidate_nodes", type=list)
    owner: str | None = resource.Body("owner")
    extra: dict[str, Any] = resource.Body("extra", type=dict)
    node_id: str | None = resource.Body("node_uuid")
    last_error: str | None = resource.Body("last_error")
    #: Stays when its node is undeployed.
    sticky: bool = resource.Body("sticky", type=bool)
    #: The end of its time in the queue.
    wait_until: str | None = resource.Body("wait_until")
    #: The longest time without a heartbeat; None if it needs none.
    keep_alive_seconds: int | None = resource.Body("keep_alive_seconds", type=int)
    #: The time by which the next heartbeat is due.
    alive_until: str | None = resource.Body("alive_until")
    #: How many seconds it keeps its node; None if it has no end, or one that its client named.
    lifetime: int | None = resource.Body("lifetime", type=int)
    #: Its end, as far as it is known.
    until: str | None = resource.Body("until")
    #: The time at which notice was given that it ends soon.
    noticed_at: str | None = resource.Body("noticed_at")
    #: Its position among the allocations that wait for the class; only ``get`` returns it.
    position: int | None = resource.Body("position", type=int)
    #: The time at which it has its node at the latest, while it waits; None if that is not known.
    latest_start: str | None = resource.Body("latest_start")
    #: What its start depends on while it is not known.
    depends_on: str | None = resource.Body("depends_on")
    #: What last moved the latest start to a later time.
    moved_by: str | None = resource.Body("moved_by")
    #: Allocations of one batch get their nodes together or not at all.
    batch: str | None = resource.Body("batch")
    created_at: str = resource.Body("created_at")
    updated_at: str | None = resource.Body("updated_at")


def failure_of(failed: Allocation) -> DibsError:
    """Return the exception for a failed allocation: a timeout if it stayed in the queue until the end of its time."""
    text = f"Allocation {failed.name or failed.id} failed: {failed.last_error}"
    if failed.wait_until is not None and (failed.updated_at or "") >= failed.wait_until:
        return TimedOut(text)
    return AllocationFailed(text)


def check_same_allocation(name: str, requested: Mapping[str, Any], found: Allocation) -> None:
    """Raise AlreadyDifferent if an allocation differs from the body of a request for one of the same name."""
    check_same(
        f"Allocation {name}",
        {
            "class": requested["resource_class"],
            "traits": sorted(set(requested.get("traits", ()))),
            "candidates": sorted(set(requested.get("candidate_nodes", ()))),
            "extra": requested.get("extra", {}),
            "sticky": requested.get("sticky", False),
        },
        {
            "class": found.resource_class,
            "traits": sorted(found.traits),
            "candidates": sorted(found.candidate_nodes),
            "extra": found.extra,
            "sticky": found.sticky,
        },
    )
