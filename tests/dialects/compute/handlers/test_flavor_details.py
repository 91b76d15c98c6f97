from typing import Any

import pytest

from dibs.flavors.model.flavors import SPECS_MAX
from tests.dialects.compute.conversation import MEMBER, STRANGER, Conversation
from tests.dialects.compute.flavors import create

pytestmark = pytest.mark.every_engine
"""These requests run queries that no test of an operation runs."""

SPECS = "/v2.1/flavors/f/os-extra_specs"
ADD = {"addTenantAccess": {"tenant": "p"}}
REMOVE = {"removeTenantAccess": {"tenant": "p"}}


def test_private_flavor_is_visible_to_projects_with_access(ask: Conversation) -> None:
    create(ask, id="f", is_public=False)
    assert ask("GET", "/v2.1/flavors/f", actor=MEMBER).status == 404
    assert ask("POST", "/v2.1/flavors/f/action", ADD).json == {"flavor_access": [{"flavor_id": "f", "tenant_id": "p"}]}
    assert ask("POST", "/v2.1/flavors/f/action", ADD).status == 409
    assert ask("GET", "/v2.1/flavors/f", actor=MEMBER).status == 200
    assert ask("GET", "/v2.1/flavors/f", actor=STRANGER).status == 404
    assert len(ask("GET", "/v2.1/flavors", actor=MEMBER).json["flavors"]) == 1
    assert ask("GET", "/v2.1/flavors", actor=STRANGER).json["flavors"] == []
    assert len(ask("GET", "/v2.1/flavors/f/os-flavor-access").json["flavor_access"]) == 1


def test_removed_access_hides_the_flavor_again(ask: Conversation) -> None:
    create(ask, id="f", is_public=False)
    ask("POST", "/v2.1/flavors/f/action", ADD)
    assert ask("POST", "/v2.1/flavors/f/action", REMOVE, actor=MEMBER).status == 403
    assert ask("POST", "/v2.1/flavors/f/action", REMOVE).json == {"flavor_access": []}
    assert ask("POST", "/v2.1/flavors/f/action", REMOVE).status == 404
    assert ask("GET", "/v2.1/flavors/f", actor=MEMBER).status == 404


def test_access_to_a_public_flavor_is_refused_from_2_7_on(ask: Conversation) -> None:
    create(ask, id="f")
    assert ask("GET", "/v2.1/flavors/f/os-flavor-access").status == 404
    assert ask("POST", "/v2.1/flavors/f/action", ADD, version="2.7").status == 409
    assert ask("POST", "/v2.1/flavors/f/action", ADD, version="2.6").status == 200


def test_extra_specs_are_added_changed_and_removed(ask: Conversation) -> None:
    create(ask, id="f")
    assert ask("POST", SPECS, {"extra_specs": {"resources:VCPU": 2, "a": "b"}}).json == {
        "extra_specs": {"resources:VCPU": "2", "a": "b"}
    }
    assert ask("PUT", f"{SPECS}/a", {"a": "c"}).json == {"a": "c"}
    assert ask("PUT", f"{SPECS}/a", {"b": "c"}).status == 400
    assert ask("GET", f"{SPECS}/a").json == {"a": "c"}
    assert ask("DELETE", f"{SPECS}/a").status == 200
    assert (ask("DELETE", f"{SPECS}/a").status, ask("GET", f"{SPECS}/a").status) == (404, 404)
    assert ask("GET", SPECS, actor=MEMBER).json == {"extra_specs": {"resources:VCPU": "2"}}


@pytest.mark.parametrize(
    "specs", [{"resources:VCPU": "many"}, {"resources:VCPU": "-1"}, {"trait:X": "perhaps"}, {"a/b": "c"}, {"a": None}]
)
def test_extra_specs_that_no_search_can_use_are_400(ask: Conversation, specs: dict[str, Any]) -> None:
    create(ask, id="f")
    assert ask("POST", SPECS, {"extra_specs": specs}).status == 400
    assert ask("GET", SPECS).json == {"extra_specs": {}}


def test_extra_specs_beyond_the_limit_are_400(ask: Conversation) -> None:
    create(ask, id="f")
    assert ask("POST", SPECS, {"extra_specs": {f"a{number}": "b" for number in range(SPECS_MAX)}}).status == 200
    assert ask("PUT", f"{SPECS}/a0", {"a0": "c"}).status == 200
    assert ask("PUT", f"{SPECS}/more", {"more": "c"}).fault[0] == "badRequest"
