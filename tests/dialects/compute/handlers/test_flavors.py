from typing import Any

import pytest

from tests.dialects.compute.conversation import MEMBER, Conversation
from tests.dialects.compute.flavors import create

pytestmark = pytest.mark.every_engine
"""These requests run queries that no test of an operation runs."""


def names(ask: Conversation, query: str = "", actor: Any = None) -> list[str]:
    return [each["name"] for each in ask("GET", f"/v2.1/flavors{query}", actor=actor).json["flavors"]]


def test_flavor_is_created_and_shown(ask: Conversation) -> None:
    made = create(ask, id="f1", swap="512", description="tiny").json["flavor"]
    assert made["links"][0]["href"] == "http://dibs.example:8780/compute/v2.1/flavors/f1"
    assert {name: made[name] for name in ("id", "ram", "swap", "description", "extra_specs")} == {
        "id": "f1",
        "ram": 512,
        "swap": 512,
        "description": "tiny",
        "extra_specs": {},
    }
    assert ask("GET", "/v2.1/flavors/f1").json["flavor"] == made
    oldest = ask("GET", "/v2.1/flavors/f1", version="2.1").json["flavor"]
    assert {"description", "extra_specs"}.isdisjoint(oldest)


@pytest.mark.parametrize(
    "more",
    [
        {"vcpus": 0},
        {"vcpus": "0"},
        {"ram": -1},
        {"ram": 2**31},
        {"ram": "9999999999"},
        {"disk": None},
        {"name": " "},
        {"id": " x"},
        {"id": 10**300},
        {"rxtx_factor": 0},
        {"rxtx_factor": "0.0"},
        {"rxtx_factor": "9" * 400},
        {"os-flavor-access:is_public": "maybe"},
        {"unknown": 1},
    ],
)
def test_invalid_flavor_is_400(ask: Conversation, more: dict[str, Any]) -> None:
    assert create(ask, **more).fault[0] == "badRequest"


def test_description_is_accepted_and_changed_from_2_55_on(ask: Conversation) -> None:
    assert create(ask, version="2.54", description="early").status == 400
    assert create(ask, version="2.55", id="f", description="old").status == 200
    body = {"flavor": {"description": "new"}}
    assert ask("PUT", "/v2.1/flavors/f", body, version="2.54").status == 404
    assert ask("PUT", "/v2.1/flavors/f", body).json["flavor"]["description"] == "new"


@pytest.mark.parametrize("same", [{"id": "f"}, {"name": "small"}])
def test_second_flavor_of_the_same_id_or_name_is_409(ask: Conversation, same: dict[str, Any]) -> None:
    create(ask, id="f")
    assert create(ask, **{"id": "g", "name": "other", **same}).fault[0] == "conflictingRequest"


def test_admin_lists_public_flavors_unless_the_query_asks_for_others(ask: Conversation) -> None:
    create(ask, id="f", name="public")
    create(ask, id="g", name="private", is_public=False)
    assert names(ask) == ["public"]
    assert names(ask, "?is_public=False") == ["private"]
    assert names(ask, "?is_public=None") == ["public", "private"]
    assert names(ask, "?is_public=None", actor=MEMBER) == ["public"]


def test_list_has_filters_order_and_pages(ask: Conversation) -> None:
    for number in range(3):
        create(ask, id=f"f{number}", name=f"n{number}", ram=512 * (number + 1), disk=number)
    assert names(ask, "?minRam=1024") == ["n1", "n2"]
    assert names(ask, "?minDisk=2") == ["n2"]
    assert names(ask, "?sort_key=name&sort_dir=desc") == ["n2", "n1", "n0"]
    page = ask("GET", "/v2.1/flavors?limit=2").json
    assert page["flavors_links"][0]["href"].endswith("/v2.1/flavors?limit=2&marker=f1")
    assert names(ask, "?limit=2&marker=f1") == ["n2"]


@pytest.mark.parametrize(
    "query", ["limit=x", "limit=-1", "marker=none", "minRam=x", "sort_key=colour", "is_public=perhaps"]
)
def test_invalid_query_is_400(ask: Conversation, query: str) -> None:
    assert ask("GET", f"/v2.1/flavors?{query}").fault[0] == "badRequest"


def test_deleted_flavor_is_404(ask: Conversation) -> None:
    create(ask, id="f")
    assert ask("DELETE", "/v2.1/flavors/f").status == 202
    assert ask("DELETE", "/v2.1/flavors/f").fault == ("itemNotFound", "Flavor f could not be found.")
