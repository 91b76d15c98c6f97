"""Every row of the routing table refuses callers without rights and has an exchange in the contracts."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from dibs.access.actor import Actor
from dibs.dialects.baremetal import Baremetal
from dibs.dialects.baremetal.endpoints import Endpoint
from dibs.dialects.baremetal.microversions import VERSIONS
from dibs.dialects.baremetal.routes import ROUTES
from dibs.http.routing import Match, Route, Router
from tests.dialects.baremetal.conversation import Conversation

CONTRACTS = Path(__file__).parents[2] / "contracts" / "baremetal"
UUID = "11111111-2222-4333-8444-555555555501"
BODIES: dict[str, Any] = {
    "POST /v1/nodes": {"driver": "fake-hardware"},
    "POST /v1/ports": {"node_uuid": UUID, "address": "52:54:00:00:00:01"},
    "POST /v1/portgroups": {"node_uuid": UUID},
    "POST /v1/volume/connectors": {"node_uuid": UUID, "type": "iqn", "connector_id": "x"},
    "POST /v1/volume/targets": {"node_uuid": UUID, "volume_type": "iscsi", "volume_id": "v", "boot_index": 0},
    "POST /v1/nodes/{node}/vifs": {"id": UUID},
    "PATCH /v1/portgroups/{portgroup}": [],
    "PATCH /v1/volume/connectors/{connector}": [],
    "PATCH /v1/volume/targets/{target}": [],
    "PATCH /v1/chassis/{chassis}": [],
    "POST /v1/reservations": {"instance_uuid": UUID, "node_uuid": [UUID]},
    "PATCH /v1/nodes/{node}": [],
    "PATCH /v1/allocations/{allocation}": [],
    "POST /v1/allocations": {"resource_class": "gold"},
    "PATCH /v1/ports/{port}": [],
    "PUT /v1/nodes/{node}/traits": {"traits": []},
    "PUT /v1/nodes/{node}/states/power": {"target": "power on"},
    "PUT /v1/nodes/{node}/states/provision": {"target": "manage"},
    "PUT /v1/nodes/{node}/management/boot_device": {"boot_device": "pxe"},
}
ARGUMENTS = {
    "node": UUID,
    "port": UUID,
    "portgroup": UUID,
    "connector": UUID,
    "target": UUID,
    "vif": UUID,
    "event": UUID,
    "chassis": UUID,
    "reservation": UUID,
    "allocation": UUID,
    "trait": "CUSTOM_A",
    "driver": "fake-hardware",
    "conductor": "conductor-1",
}
OUTSIDERS = {
    "without any role": Actor(user="nobody"),
    "of another project": Actor(user="stranger", project="other", roles=frozenset({"reader"})),
}


def name_of(route: Route[Endpoint]) -> str:
    return f"{route.method} {route.path}"


GUARDED = [route for route in ROUTES if route.path not in Baremetal.public_paths]


@pytest.mark.parametrize("who", OUTSIDERS)
@pytest.mark.parametrize("route", GUARDED, ids=name_of)
def test_a_caller_without_rights_is_refused(ask: Conversation, route: Route[Endpoint], who: str) -> None:
    ask.ledger.enrol(uuid=UUID, owner="another")
    for path in ("/v1/ports", "/v1/portgroups", "/v1/volume/connectors", "/v1/volume/targets"):
        ask("POST", path, {**BODIES[f"POST {path}"], "uuid": UUID})
    ask("POST", "/v1/chassis", {"uuid": UUID})
    before = ask("GET", "/v1/nodes/detail").body
    query = f"?node={UUID}" if route.path.endswith("nodes/validate") else ""
    answer = ask(route.method, route.path.format(**ARGUMENTS) + query, BODIES.get(name_of(route)), actor=OUTSIDERS[who])
    if answer.status == 200:
        assert list(answer.json.values()) == [[]]
    else:
        assert answer.status in ((400, 403) if "node_uuid" in BODIES.get(name_of(route), ()) else (403, 404))
    assert ask("GET", "/v1/nodes/detail").body == before


@pytest.mark.parametrize("route", ROUTES, ids=name_of)
def test_a_row_has_a_summary(route: Route[Endpoint]) -> None:
    assert route.summary
    assert route.statuses
    assert 1 <= route.since <= max(VERSIONS)
    assert (route.handler.handle.__doc__ or "").strip()


def exchanges() -> list[tuple[str, str]]:
    """Method and path of every exchange in the contracts."""
    found = []
    for path in CONTRACTS.glob("*.yaml"):
        for test in yaml.safe_load(path.read_text())["tests"]:
            for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
                if method in test:
                    found.append((method, test[method]))
    return found


@pytest.fixture(scope="module")
def covered() -> set[str]:
    """The rows that an exchange in the contracts uses."""
    router = Router(ROUTES)
    rows = set()
    for method, url in exchanges():
        path = re.sub(r"\$\w+\[[^]]*\](\.\$RESPONSE\[[^]]*\])?", "x", url).partition("?")[0]
        resolution = router.resolve(method, path.removeprefix("/baremetal").rstrip("/") or "/")
        if isinstance(resolution, Match):
            rows.add(name_of(resolution.route))
    return rows


@pytest.mark.parametrize("route", ROUTES, ids=name_of)
def test_a_row_has_an_exchange_in_the_contracts(route: Route[Endpoint], covered: set[str]) -> None:
    assert name_of(route) in covered, "add an exchange to tests/contracts/baremetal"
