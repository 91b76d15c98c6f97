"""Thousands of invalid requests; ``target.Target.send`` checks the laws."""

import os

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy

from tests.attacks.apis import NATIVE, PLACEMENT
from tests.attacks.mutations import attacks_on, valid_attack
from tests.attacks.provider_target import ProviderTarget
from tests.attacks.strategies import attacks, patch_attacks, query_attacks
from tests.attacks.target import Attack, Target

# The same requests in every run, so that a failure is caused by a change; ATTACK_EXAMPLES generates new ones.
_REPEATABLE = "ATTACK_EXAMPLES" not in os.environ


def attack(target: Target, strategy: SearchStrategy[Attack], examples: int) -> None:
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=_REPEATABLE,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
    )
    @given(strategy)
    def send(one: Attack) -> None:
        target.send(one)

    send()


def test_write_beside_a_request_is_noticed(target: Target) -> None:
    """An attack that misses writes would find nothing."""
    target.ledger.enrol()
    try:
        with pytest.raises(AssertionError, match="reading changed"):
            target.send(Attack.of("GET", "/v1/nodes"))
    finally:
        target.prepare()


def test_no_request_to_any_route_breaks_the_laws(target: Target, examples: int) -> None:
    attack(target, attacks(), examples * 2)


def test_no_patch_breaks_the_laws(target: Target, examples: int) -> None:
    attack(target, patch_attacks(), examples * 2)


def test_no_query_breaks_the_laws(target: Target, examples: int) -> None:
    attack(target, query_attacks(), examples)


def test_every_valid_request_to_the_other_apis_is_accepted(provider_target: ProviderTarget) -> None:
    """The attacks change valid requests; an invalid base would be refused before the changed part is read."""
    refused = {}
    for api in (PLACEMENT, NATIVE):
        for route in api.routes:
            answer = provider_target.send(valid_attack(api, route))
            if answer.status >= 400:
                refused[route.method, route.path] = answer.status
    assert refused == {
        ("GET", "/resource_classes/{name}"): 404,
        ("DELETE", "/resource_classes/{name}"): 404,
        ("GET", "/traits/{name}"): 404,
        ("DELETE", "/traits/{name}"): 404,
        ("DELETE", "/resource_providers/{uuid}"): 409,
        ("DELETE", "/resource_providers/{uuid}/inventories"): 409,
        ("POST", "/v1/allocations/{allocation}/heartbeat"): 409,
        ("POST", "/v1/allocations/{allocation}/renew"): 409,
        ("GET", "/v1/leases/{lease}/latest-end"): 404,
        ("POST", "/v1/allocations/{allocation}/retry"): 409,
        ("POST", "/v1/leases/{lease}/release"): 404,
        ("GET", "/v1/nodes/{node}/history"): 400,
        ("POST", "/v1/maintenance"): 400,
        ("DELETE", "/v1/maintenance/{maintenance}"): 404,
        ("GET", "/v1/calendars/{calendar}"): 404,
        ("DELETE", "/v1/calendars/{calendar}"): 404,
        ("GET", "/v1/feeds/{feed}"): 404,
        ("GET", "/v1/webhooks/{webhook}"): 404,
        ("DELETE", "/v1/webhooks/{webhook}"): 404,
        ("GET", "/v1/webhooks/{webhook}/deliveries"): 404,
        ("POST", "/v1/webhooks/{webhook}/enable"): 404,
    }


def test_no_request_to_placement_breaks_the_laws(provider_target: ProviderTarget, examples: int) -> None:
    attack(provider_target, attacks_on(PLACEMENT), examples)


def test_no_request_to_dibs_own_api_breaks_the_laws(target: Target, examples: int) -> None:
    attack(target, attacks_on(NATIVE), examples // 2)
