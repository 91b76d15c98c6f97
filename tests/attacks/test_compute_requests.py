"""Invalid requests about servers and flavors; ``target.Target.send`` checks the laws."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.attacks.apis import Api
from tests.attacks.compute_api import COMPUTE, NEW_SERVER, OLDEST, ON_A_NODE
from tests.attacks.compute_target import ComputeTarget
from tests.attacks.mutations import attacks_on, valid_attack
from tests.attacks.test_random_requests import attack
from tests.bed.session import Bed

LAUNCH_ON_A_NODE = replace(
    COMPUTE,
    routes=[route for route in COMPUTE.routes if (route.method, route.path) == NEW_SERVER],
    bodies={NEW_SERVER: ON_A_NODE},
)


@pytest.fixture(scope="module")
def compute_target(bed: Bed, engine_name: str) -> Iterator[ComputeTarget]:
    url = bed.databases(engine_name).fresh()
    made = ComputeTarget(url)
    yield made
    made.close()
    bed.databases(engine_name).discard(url)


AGGREGATES = {
    ("GET", "/v2.1/os-aggregates/{aggregate}"): 404,
    ("POST", "/v2.1/os-aggregates"): 409,
    ("PUT", "/v2.1/os-aggregates/{aggregate}"): 409,
    ("DELETE", "/v2.1/os-aggregates/{aggregate}"): 409,
    ("POST", "/v2.1/os-aggregates/{aggregate}/action"): 409,
}
"""Aggregates follow from leases: no request changes them, and the target has none with this id."""


@pytest.mark.parametrize(
    ("api", "expected"),
    [
        (COMPUTE, AGGREGATES),
        (
            OLDEST,
            {
                **AGGREGATES,
                ("GET", "/v2.1/os-hypervisors/{hypervisor}"): 404,
                # Its server runs on a compute host, which cannot be switched here.
                ("POST", "/v2.1/servers/{server}/action"): 409,
            },
        ),
    ],
    ids=["newest", "oldest"],
)
def test_every_valid_request_is_accepted(
    compute_target: ComputeTarget, api: Api, expected: dict[tuple[str, str], int]
) -> None:
    """The attacks change valid requests; an invalid base would be refused before the changed part is read."""
    refused = {}
    for route in api.routes:
        answer = compute_target.send(valid_attack(api, route))
        if answer.status >= 400:
            refused[route.method, route.path] = answer.status
    assert refused == expected


def test_valid_launch_on_a_node_succeeds(compute_target: ComputeTarget) -> None:
    (route,) = LAUNCH_ON_A_NODE.routes
    compute_target.send(valid_attack(LAUNCH_ON_A_NODE, route), undo=False)
    assert [row["status"] for row in compute_target.rows["servers"] if row["name"] == "new"] == ["BUILD"]
    compute_target.prepare()


def test_no_request_to_any_route_breaks_the_laws(compute_target: ComputeTarget, examples: int) -> None:
    attack(compute_target, attacks_on(COMPUTE), examples * 3 // 4)


def test_no_request_of_an_old_client_breaks_the_laws(compute_target: ComputeTarget, examples: int) -> None:
    attack(compute_target, attacks_on(OLDEST), examples // 4)


def test_no_launch_on_a_node_breaks_the_laws(compute_target: ComputeTarget, examples: int) -> None:
    attack(compute_target, attacks_on(LAUNCH_ON_A_NODE), examples // 4)
