"""Claims and usages through operations: what they return, and that each checks the caller's rights."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from dibs.access.access import SERVICE, Access, Target
from dibs.access.actor import Actor
from dibs.access.placement_policy import PlacementPolicy
from dibs.errors import Forbidden
from dibs.ledger.model.access import MANAGE_CLAIMS
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.model.errors import NothingClaimed, ProviderNotFound
from dibs.ledger.operations.claims import (
    ReplaceClaims,
    UsageOfProject,
    get_provider_usage,
    list_claims_of_consumer,
    list_claims_on_provider,
    list_usage_of_project,
    release_claims,
    replace_claims,
)
from dibs.ledger.operations.reshaping import Reshape, reshape
from tests.builders import Ledger
from tests.provider_builders import claim, make

CONSUMER = "11111111-1111-4111-8111-111111111111"
NOWHERE = "99999999-9999-4999-8999-999999999999"


class NoRule:
    """A policy that grants nothing."""

    calls_services = False

    def allows(self, rule: str, actor: Actor, target: Target) -> bool:
        return False


STRANGER = Access(actor=Actor(user="eva", project="eva"), rules=NoRule())


@pytest.mark.parametrize(
    ("operation", "command", "rule"),
    [
        (replace_claims, ReplaceClaims(requests=()), "placement:allocations:update"),
        (replace_claims, ReplaceClaims(requests=(), rule=MANAGE_CLAIMS), "placement:allocations:manage"),
        (release_claims, CONSUMER, "placement:allocations:delete"),
        (list_claims_of_consumer, CONSUMER, "placement:allocations:list"),
        (list_claims_on_provider, NOWHERE, "placement:resource_providers:allocations:list"),
        (get_provider_usage, NOWHERE, "placement:resource_providers:usages"),
        (list_usage_of_project, UsageOfProject(project_id="p"), "placement:usages"),
        (reshape, Reshape(inventories=(), requests=()), "placement:reshaper:reshape"),
    ],
)
def test_an_operation_on_claims_is_refused_without_its_rule(
    ledger: Ledger, operation: Callable[..., Any], command: Any, rule: str
) -> None:
    with pytest.raises(Forbidden, match=rule):
        ledger.runner.write(operation, STRANGER, command)


def test_a_reader_of_another_project_does_not_see_the_usage_of_a_project(ledger: Ledger) -> None:
    claim(ledger, make(ledger, VCPU=4), VCPU=3)
    policy = PlacementPolicy()
    for project, others in (("p", "q"), ("q", "p")):
        reader = policy.access(Actor(user="r", project=project, roles=frozenset({"reader"})))
        usage = ledger.runner.read(list_usage_of_project, reader, UsageOfProject(project_id=project))
        assert usage.used == ({None: {"VCPU": 3}} if project == "p" else {})
        with pytest.raises(Forbidden):
            ledger.runner.read(list_usage_of_project, reader, UsageOfProject(project_id=others))


def test_claims_show_in_the_usage_of_their_provider_until_they_are_released(ledger: Ledger) -> None:
    provider = make(ledger, VCPU=4, DISK_GB=10)
    consumer = claim(ledger, provider, VCPU=3)
    here = provider.uuid
    assert ledger.runner.read(get_provider_usage, SERVICE, here).used == {"DISK_GB": 0, "VCPU": 3}
    (row,) = ledger.runner.read(list_claims_on_provider, SERVICE, here).claims
    assert (row["consumer"], row["resource_class"], row["amount"]) == (consumer, "VCPU", 3)
    ledger.runner.write(release_claims, SERVICE, consumer)
    assert ledger.runner.read(get_provider_usage, SERVICE, here).used == {"DISK_GB": 0, "VCPU": 0}
    assert ledger.runner.read(list_claims_of_consumer, SERVICE, consumer) == []


def test_a_request_replaces_all_claims_of_its_consumer(ledger: Ledger) -> None:
    old, new = make(ledger, VCPU=4), make(ledger, VCPU=4)
    consumer = str(uuid.uuid4())
    for provider in (old, new):
        request = ClaimRequest(consumer=consumer, resources={provider.uuid: {"VCPU": 1}}, project_id="p", user_id="u")
        ledger.runner.write(replace_claims, SERVICE, ReplaceClaims(requests=(request,)))
    rows = ledger.runner.read(list_claims_of_consumer, SERVICE, consumer)
    assert [row["provider"] for row in rows] == [new.uuid]


def test_an_unknown_provider_or_consumer_is_refused(ledger: Ledger) -> None:
    for operation in (list_claims_on_provider, get_provider_usage):
        with pytest.raises(ProviderNotFound):
            ledger.runner.read(operation, SERVICE, NOWHERE)
    with pytest.raises(NothingClaimed):
        ledger.runner.write(release_claims, SERVICE, CONSUMER)
