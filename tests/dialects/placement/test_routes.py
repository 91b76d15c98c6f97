"""The routing table has every URL, method and first version of Placement's contract, and no other."""

import pytest

from dibs.dialects.placement.routes import ROUTES

PROVIDER = "/resource_providers/{uuid}"

CONTRACT = {
    "/": {"GET": 0},
    "/resource_classes": {"GET": 2, "POST": 2},
    "/resource_classes/{name}": {"GET": 2, "PUT": 2, "DELETE": 2},
    "/resource_providers": {"GET": 0, "POST": 0},
    PROVIDER: {"GET": 0, "DELETE": 0, "PUT": 0},
    f"{PROVIDER}/inventories": {"GET": 0, "POST": 0, "PUT": 0, "DELETE": 5},
    PROVIDER + "/inventories/{resource_class}": {"GET": 0, "PUT": 0, "DELETE": 0},
    f"{PROVIDER}/usages": {"GET": 0},
    f"{PROVIDER}/aggregates": {"GET": 1, "PUT": 1},
    f"{PROVIDER}/allocations": {"GET": 0},
    f"{PROVIDER}/traits": {"GET": 6, "PUT": 6, "DELETE": 6},
    "/traits": {"GET": 6},
    "/traits/{name}": {"GET": 6, "PUT": 6, "DELETE": 6},
    "/allocations": {"POST": 13},
    "/allocations/{consumer}": {"GET": 0, "PUT": 0, "DELETE": 0},
    "/allocation_candidates": {"GET": 10},
    "/usages": {"GET": 9},
    "/reshaper": {"POST": 30},
}


@pytest.mark.parametrize("path", CONTRACT)
def test_a_path_has_its_methods_in_order_with_their_first_versions(path: str) -> None:
    found: dict[str, int] = {}
    for route in ROUTES:
        if route.path == path:
            found[route.method] = min(route.since, found.get(route.method, route.since))
    assert list(found.items()) == list(CONTRACT[path].items())


def test_there_is_no_other_path() -> None:
    assert {route.path for route in ROUTES} == set(CONTRACT)
