"""Invalid requests about hosts and leases; ``target.Target.send`` checks the laws."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.attacks.lease_api import INSTANCES, RESERVATION
from tests.attacks.lease_target import LeaseTarget
from tests.attacks.mutations import attacks_on, valid_attack
from tests.attacks.test_random_requests import attack
from tests.bed.session import Bed

NEW_LEASE = ("POST", "/v1/leases")


@pytest.fixture(scope="module")
def lease_target(bed: Bed, engine_name: str) -> Iterator[LeaseTarget]:
    url = bed.databases(engine_name).fresh()
    made = LeaseTarget(url)
    yield made
    made.close()
    bed.databases(engine_name).discard(url)


def test_every_valid_request_is_accepted(lease_target: LeaseTarget) -> None:
    """The attacks change valid requests; an invalid base would be refused before the changed part is read."""
    refused = {}
    for route in RESERVATION.routes:
        answer = lease_target.send(valid_attack(RESERVATION, route))
        if answer.status >= 400:
            refused[route.method, route.path] = answer.message
    assert refused == {("DELETE", "/v1/os-hosts/{host}"): "Can't delete host 1000000. The host is reserved."}


def test_no_request_to_any_route_breaks_the_laws(lease_target: LeaseTarget, examples: int) -> None:
    attack(lease_target, attacks_on(RESERVATION), examples)


def test_no_lease_of_instances_breaks_the_laws(lease_target: LeaseTarget, examples: int) -> None:
    only_new = [route for route in RESERVATION.routes if (route.method, route.path) == NEW_LEASE]
    api = replace(RESERVATION, routes=only_new, bodies={NEW_LEASE: INSTANCES})
    attack(lease_target, attacks_on(api), examples // 2)
