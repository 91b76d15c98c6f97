"""The policy applied to requests: hidden nodes, forbidden actions, redacted attributes."""

from pathlib import Path

import pytest

from dibs.access.actor import Actor
from dibs.machines.model import states
from tests.builders import Ledger
from tests.dialects.baremetal.conversation import ADMIN_ROLES, MEMBER_ROLES, SYSTEM_ADMIN, Conversation, person

pytestmark = pytest.mark.every_engine
"""These requests run queries that no test of an operation runs."""

SYSTEM_MEMBER = Actor(user="sm", roles=frozenset(MEMBER_ROLES), system_scope=True)
SYSTEM_READER = Actor(user="sr", roles=frozenset({"reader"}), system_scope=True)
OWNER_ADMIN = person("owner", *ADMIN_ROLES)
OWNER_MEMBER = person("owner", *MEMBER_ROLES)
OWNER_READER = person("owner", "reader")
LESSEE_ADMIN = person("lessee", *ADMIN_ROLES)
LESSEE_MEMBER = person("lessee", *MEMBER_ROLES)
LESSEE_READER = person("lessee", "reader")
STRANGER = person("stranger", *ADMIN_ROLES)
NOBODY = Actor(user="nobody")


@pytest.fixture
def node(ask: Conversation) -> str:
    """A node that one project owns and another leases."""
    return ask.ledger.enrol(
        name="n",
        owner="owner",
        lessee="lessee",
        driver_info={"address": "10.0.0.1", "password": "x"},
        driver_internal_info={"a": 1},
        last_error="it broke",
    ).uuid


def test_a_list_has_only_visible_nodes(ask: Conversation, node: str) -> None:
    ask.ledger.enrol(name="other", owner="another")
    for actor, names in (
        (SYSTEM_READER, {"n", "other"}),
        (OWNER_READER, {"n"}),
        (LESSEE_READER, {"n"}),
        (STRANGER, set()),
    ):
        listed = ask("GET", "/v1/nodes", actor=actor).json["nodes"]
        assert {entry["name"] for entry in listed} == names


def test_a_list_of_the_nodes_of_another_project_is_refused(ask: Conversation, node: str) -> None:
    assert ask("GET", "/v1/nodes?project=owner", actor=STRANGER).status == 403
    assert ask("GET", "/v1/nodes?owner=owner", actor=STRANGER).json == {"nodes": []}
    assert ask("GET", "/v1/nodes?project=lessee", actor=LESSEE_READER).json["nodes"][0]["name"] == "n"
    assert ask("GET", "/v1/nodes", actor=NOBODY).status == 403


def test_an_invisible_node_is_404_and_a_forbidden_action_is_403(ask: Conversation, node: str) -> None:
    assert ask("GET", "/v1/nodes/n", actor=STRANGER).reason == "Node n could not be found."
    assert ask("DELETE", "/v1/nodes/n", actor=STRANGER).status == 404
    answer = ask("DELETE", "/v1/nodes/n", actor=LESSEE_ADMIN)
    assert (answer.status, answer.error["faultcode"]) == (403, "Client")
    assert "baremetal:node:delete:self_owned_node" in answer.reason


def test_the_owner_sees_what_the_lessee_does_not(ask: Conversation, node: str) -> None:
    for url in ("/v1/nodes/n", "/v1/nodes/detail"):
        answers = [ask("GET", url, actor=actor).json for actor in (OWNER_READER, LESSEE_READER)]
        for_owner, for_lessee = (answer.get("nodes", [answer])[0] for answer in answers)
        assert for_owner["driver_info"] == {"address": "10.0.0.1", "password": "******"}
        assert for_owner["last_error"] == "it broke"
        assert "Redacted" in for_lessee["driver_info"]["content"]
        assert "Redacted" in for_lessee["driver_internal_info"]["content"]
        assert "Redacted" in for_lessee["last_error"]
        assert "Redacted" in for_lessee["reservation"]
        assert for_lessee["name"] == "n"


def test_a_lessee_may_change_few_attributes(ask: Conversation, node: str) -> None:
    def change(actor: Actor, path: str, value: object) -> int:
        return ask.patch("n", ("add", path, value), actor=actor).status

    assert change(LESSEE_MEMBER, "/extra/a", 1) == 200
    assert change(LESSEE_MEMBER, "/description", "x") == 200
    assert change(LESSEE_MEMBER, "/instance_info/a", 1) == 403
    assert change(LESSEE_ADMIN, "/instance_info/a", 1) == 200
    for path in ("/owner", "/lessee", "/driver_info/a", "/name", "/properties/a", "/shard", "/conductor_group"):
        assert change(LESSEE_ADMIN, path, "x") == 403
    assert change(OWNER_MEMBER, "/lessee", "other") == 200
    assert change(OWNER_ADMIN, "/owner", "other") == 403


def test_one_forbidden_attribute_forbids_the_whole_patch(ask: Conversation, node: str) -> None:
    assert ask.patch("n", ("add", "/extra/a", 1), ("add", "/name", "x"), actor=LESSEE_MEMBER).status == 403
    assert ask("GET", "/v1/nodes/n").json["extra"] == {}


def test_only_a_system_admin_changes_the_owner_of_an_active_node(ask: Conversation) -> None:
    node = ask.ledger.enrol(state=states.ACTIVE).uuid
    answer = ask.patch(node, ("add", "/owner", "x"), actor=SYSTEM_MEMBER)
    assert (answer.status, answer.reason) == (
        409,
        f'Cannot update owner of node "{node}" while it is in state "active".',
    )
    assert ask.patch(node, ("add", "/owner", "x")).status == 200


@pytest.mark.parametrize(
    ("actor", "asked", "status", "owner"),
    [
        (SYSTEM_ADMIN, "anybody", 201, "anybody"),
        (SYSTEM_ADMIN, None, 201, None),
        (OWNER_ADMIN, None, 201, "owner"),
        (OWNER_ADMIN, "owner", 201, "owner"),
        (OWNER_ADMIN, "other", 400, None),
        (OWNER_MEMBER, None, 403, None),
        (SYSTEM_MEMBER, None, 403, None),
        (NOBODY, None, 403, None),
    ],
)
def test_a_project_admin_creates_nodes_of_the_project(
    ask: Conversation, actor: Actor, asked: str | None, status: int, owner: str | None
) -> None:
    body = {"driver": "fake-hardware"} | ({"owner": asked} if asked else {})
    answer = ask("POST", "/v1/nodes", body, actor=actor)
    assert answer.status == status
    if status == 201:
        assert answer.json["owner"] == owner


def test_a_project_admin_deletes_nodes_of_the_project(ask: Conversation, node: str) -> None:
    assert ask("DELETE", "/v1/nodes/n", actor=OWNER_MEMBER).status == 403
    assert ask("DELETE", "/v1/nodes/n", actor=OWNER_ADMIN).status == 204


def test_a_caller_sees_the_ports_of_visible_nodes(ask: Conversation, node: str) -> None:
    body = {"node_uuid": node, "address": "52:54:00:00:00:01"}
    assert ask("POST", "/v1/ports", body, actor=LESSEE_ADMIN).status == 403
    assert ask("POST", "/v1/ports", body, actor=STRANGER).status == 400
    port = ask("POST", "/v1/ports", body, actor=OWNER_ADMIN).json["uuid"]
    assert ask("GET", f"/v1/ports/{port}", actor=LESSEE_READER).status == 200
    assert ask("GET", f"/v1/ports/{port}", actor=STRANGER).status == 404
    assert ask("GET", "/v1/ports", actor=STRANGER).json == {"ports": []}
    assert len(ask("GET", "/v1/ports", actor=LESSEE_READER).json["ports"]) == 1
    assert ask("GET", "/v1/nodes/n/ports", actor=STRANGER).status == 404
    assert ask("DELETE", f"/v1/ports/{port}", actor=LESSEE_ADMIN).status == 403


def test_clean_steps_have_their_own_rule(ledger: Ledger, tmp_path: Path) -> None:
    policy_file = tmp_path / "policy.yaml"
    policy_file.write_text('"baremetal:node:set_provision_state:clean_steps": "!"\n')
    ask = Conversation(ledger, policy_file=str(policy_file))
    node = ledger.enrol(state=states.MANAGEABLE).uuid
    steps = [{"interface": "deploy", "step": "erase"}]
    answer = ask("PUT", f"/v1/nodes/{node}/states/provision", {"target": "clean", "clean_steps": steps})
    assert answer.status == 403
    assert ask("PUT", f"/v1/nodes/{node}/states/provision", {"target": "inspect"}).status == 202


def test_a_policy_file_can_show_passwords(ledger: Ledger, tmp_path: Path) -> None:
    policy_file = tmp_path / "policy.yaml"
    policy_file.write_text('"show_password": "role:admin"\n')
    ask = Conversation(ledger, policy_file=str(policy_file))
    node = ledger.enrol(driver_info={"password": "x"}).uuid
    assert ask("GET", f"/v1/nodes/{node}").json["driver_info"] == {"password": "x"}
