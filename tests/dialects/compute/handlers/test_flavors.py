from typing import Any

import pytest

from dibs.flavors.model.flavors import SPECS_MAX
from tests.dialects.compute.conversation import MEMBER, STRANGER, Answer, Conversation

SMALL = {"name": "small", "ram": 512, "vcpus": 1, "disk": 10}


def create(ask: Conversation, version: str = "2.61", **more: Any) -> Answer:
    return ask("POST", "/v2.1/flavors", {"flavor": {**SMALL, **more}}, version=version)


def names(ask: Conversation, query: str = "", actor: Any = None) -> list[str]:
    return [each["name"] for each in ask("GET", f"/v2.1/flavors{query}", actor=actor).json["flavors"]]


def test_a_flavor_is_made_and_shown(ask: Conversation) -> None:
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
def test_what_cannot_be_is_400(ask: Conversation, more: dict[str, Any]) -> None:
    assert create(ask, **more).fault[0] == "badRequest"


def test_a_description_came_with_2_55(ask: Conversation) -> None:
    assert create(ask, version="2.54", description="early").status == 400
    assert create(ask, version="2.55", id="f", description="old").status == 200
    body = {"flavor": {"description": "new"}}
    assert ask("PUT", "/v2.1/flavors/f", body, version="2.54").status == 404
    assert ask("PUT", "/v2.1/flavors/f", body).json["flavor"]["description"] == "new"


@pytest.mark.parametrize("same", [{"id": "f"}, {"name": "small"}])
def test_another_of_the_same_id_or_name_is_409(ask: Conversation, same: dict[str, str]) -> None:
    create(ask, id="f")
    assert create(ask, **{"id": "g", "name": "other", **same}).fault[0] == "conflictingRequest"


def test_one_that_is_not_public_is_for_those_who_were_given_it(ask: Conversation) -> None:
    create(ask, id="f", **{"os-flavor-access:is_public": False})
    access = {"addTenantAccess": {"tenant": "p"}}
    assert ask("GET", "/v2.1/flavors/f", actor=MEMBER).status == 404
    assert ask("POST", "/v2.1/flavors/f/action", access).json == {
        "flavor_access": [{"flavor_id": "f", "tenant_id": "p"}]
    }
    assert ask("POST", "/v2.1/flavors/f/action", access).status == 409
    assert (names(ask, actor=MEMBER), names(ask, actor=STRANGER)) == (["small"], [])
    assert (names(ask), names(ask, "?is_public=None"), names(ask, "?is_public=False")) == ([], ["small"], ["small"])
    assert len(ask("GET", "/v2.1/flavors/f/os-flavor-access").json["flavor_access"]) == 1
    removal = {"removeTenantAccess": {"tenant": "p"}}
    assert ask("POST", "/v2.1/flavors/f/action", removal).json == {"flavor_access": []}
    assert ask("POST", "/v2.1/flavors/f/action", removal).status == 404
    assert ask("POST", "/v2.1/flavors/f/action", removal, actor=MEMBER).status == 403


def test_access_to_a_public_flavor(ask: Conversation) -> None:
    create(ask, id="f")
    access = {"addTenantAccess": {"tenant": "p"}}
    assert ask("GET", "/v2.1/flavors/f/os-flavor-access").status == 404
    assert ask("POST", "/v2.1/flavors/f/action", access, version="2.7").status == 409
    assert ask("POST", "/v2.1/flavors/f/action", access, version="2.6").status == 200


def test_extra_specs_are_added_changed_and_removed(ask: Conversation) -> None:
    create(ask, id="f")
    path = "/v2.1/flavors/f/os-extra_specs"
    assert ask("POST", path, {"extra_specs": {"resources:VCPU": 2, "a": "b"}}).json == {
        "extra_specs": {"resources:VCPU": "2", "a": "b"}
    }
    assert ask("PUT", f"{path}/a", {"a": "c"}).json == {"a": "c"}
    assert ask("PUT", f"{path}/a", {"b": "c"}).status == 400
    assert ask("GET", f"{path}/a").json == {"a": "c"}
    assert ask("DELETE", f"{path}/a").status == 200
    assert (ask("DELETE", f"{path}/a").status, ask("GET", f"{path}/a").status) == (404, 404)
    assert ask("GET", path, actor=MEMBER).json == {"extra_specs": {"resources:VCPU": "2"}}


@pytest.mark.parametrize(
    "specs", [{"resources:VCPU": "many"}, {"resources:VCPU": "-1"}, {"trait:X": "perhaps"}, {"a/b": "c"}, {"a": None}]
)
def test_specs_that_no_search_could_use_are_400(ask: Conversation, specs: dict[str, Any]) -> None:
    create(ask, id="f")
    assert ask("POST", "/v2.1/flavors/f/os-extra_specs", {"extra_specs": specs}).status == 400
    assert ask("GET", "/v2.1/flavors/f/os-extra_specs").json == {"extra_specs": {}}


def test_a_flavor_has_so_many_specs_and_no_more(ask: Conversation) -> None:
    create(ask, id="f")
    path = "/v2.1/flavors/f/os-extra_specs"
    assert ask("POST", path, {"extra_specs": {f"a{number}": "b" for number in range(SPECS_MAX)}}).status == 200
    assert ask("PUT", f"{path}/a0", {"a0": "c"}).status == 200
    assert ask("PUT", f"{path}/more", {"more": "c"}).fault[0] == "badRequest"


def test_a_list_has_filters_order_and_pages(ask: Conversation) -> None:
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
def test_a_bad_query_is_400(ask: Conversation, query: str) -> None:
    assert ask("GET", f"/v2.1/flavors?{query}").fault[0] == "badRequest"


def test_a_flavor_goes(ask: Conversation) -> None:
    create(ask, id="f")
    assert ask("DELETE", "/v2.1/flavors/f").status == 202
    assert ask("DELETE", "/v2.1/flavors/f").fault == ("itemNotFound", "Flavor f could not be found.")
