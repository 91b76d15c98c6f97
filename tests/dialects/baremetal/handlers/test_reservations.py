"""Reservations of nodes (specification 001) as clients see them."""

import uuid
from datetime import datetime
from typing import Any

import pytest

from dibs.machines.model import states
from dibs.machines.model.nodes import Node
from tests.dialects.baremetal.conversation import BASE_URL, MEMBER_ROLES, Conversation, person
from tests.dialects.conversation import Answer

pytestmark = pytest.mark.every_engine
"""These requests run queries that no test of an operation runs."""

BLUE = person("blue", *MEMBER_ROLES)
BLUE_READER = person("blue", "reader")
RED = person("red", "admin", *MEMBER_ROLES)
ATTRIBUTES = ["uuid", "node_uuid", "instance_uuid", "project_id", "expires_at", "created_at", "updated_at"]


def new() -> str:
    return str(uuid.uuid4())


def reserve(ask: Conversation, *nodes: Node | str, instance: str | None = None, **options: Any) -> Answer:
    tried = [each if isinstance(each, str) else each.uuid for each in nodes]
    body = {"instance_uuid": instance or new(), "node_uuid": tried, **options.pop("body", {})}
    return ask("POST", "/v1/reservations", body, **options)


def reserved(ask: Conversation, *nodes: Node, **options: Any) -> Any:
    answer = reserve(ask, *nodes, **options)
    assert answer.status == 201, answer.body
    return answer.json["reservation"]


def listed(ask: Conversation, query: str = "", **options: Any) -> list[str]:
    return [each["uuid"] for each in ask("GET", f"/v1/nodes?{query}", **options).json["nodes"]]


def test_a_reservation_is_made_shown_listed_and_deleted(ask):
    node, instance = ask.ledger.enrol(), new()
    answer = reserve(ask, new(), node, instance=instance.upper())
    made = answer.json["reservation"]
    assert answer.status == 201
    assert answer.headers["location"].endswith(f"/v1/reservations/{made['uuid']}")
    assert list(made) == ATTRIBUTES
    assert (made["node_uuid"], made["instance_uuid"], made["updated_at"]) == (node.uuid, instance, None)
    assert ask("GET", f"/v1/reservations/{made['uuid']}").json == {"reservation": made}
    assert ask("GET", "/v1/reservations").json == {"reservations": [made]}
    assert ask("DELETE", f"/v1/reservations/{made['uuid'].upper()}").status == 204
    assert ask.woken == 1
    assert ask("GET", f"/v1/reservations/{made['uuid']}").status == 404
    assert ask("GET", "/v1/reservations").json == {"reservations": []}


def test_the_list_has_pages(ask):
    made = [reserved(ask, ask.ledger.enrol())["uuid"] for _ in range(3)]
    page = ask("GET", "/v1/reservations?limit=2").json
    assert [each["uuid"] for each in page["reservations"]] == made[:2]
    rest = ask("GET", page["next"].removeprefix(BASE_URL)).json
    assert [each["uuid"] for each in rest["reservations"]] == made[2:]


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize("ident", ["00000000-0000-4000-8000-000000000000", "name", "%00"])
def test_an_unknown_reservation_is_404(ask, method, ident):
    answer = ask(method, f"/v1/reservations/{ident}")
    assert (answer.status, answer.reason) == (404, f"Reservation {ident} could not be found.")


def test_the_error_lists_the_reason_for_each_of_many_nodes(ask):
    nodes = [new() for _ in range(100)]
    answer = reserve(ask, *nodes)
    assert answer.status == 409
    assert all(f"node {node} could not be found" in answer.reason for node in nodes)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "instance_uuid"),
        ({"instance_uuid": new()}, "node_uuid"),
        ({"instance_uuid": new(), "node_uuid": []}, "node_uuid"),
        ({"instance_uuid": new(), "node_uuid": new()}, "node_uuid"),
        ({"instance_uuid": new(), "node_uuid": ["x"]}, "node_uuid"),
        ({"instance_uuid": new(), "node_uuid": [1]}, "node_uuid"),
        ({"instance_uuid": new(), "node_uuid": [new()] * 257}, "node_uuid"),
        ({"instance_uuid": "x", "node_uuid": [new()]}, "instance_uuid"),
        ({"instance_uuid": None, "node_uuid": [new()]}, "instance_uuid"),
        ({"instance_uuid": new(), "node_uuid": [new()], "ttl_seconds": 0}, "ttl_seconds"),
        ({"instance_uuid": new(), "node_uuid": [new()], "ttl_seconds": 3601}, "ttl_seconds"),
        ({"instance_uuid": new(), "node_uuid": [new()], "ttl_seconds": 10**400}, "ttl_seconds"),
        ({"instance_uuid": new(), "node_uuid": [new()], "ttl_seconds": "60"}, "ttl_seconds"),
        ({"instance_uuid": new(), "node_uuid": [new()], "ttl_seconds": True}, "ttl_seconds"),
        ({"instance_uuid": new(), "node_uuid": [new()], "colour": "red"}, "colour"),
    ],
)
def test_bad_input_is_400_and_names_the_field(ask, body, field):
    answer = ask("POST", "/v1/reservations", body)
    assert answer.status == 400
    assert field in answer.reason


def seconds_left(reservation: Any, since: str) -> float:
    return (
        datetime.fromisoformat(reservation["expires_at"]) - datetime.fromisoformat(reservation[since])
    ).total_seconds()


def test_a_reservation_lasts_for_the_default_or_the_requested_time(ask):
    assert seconds_left(reserved(ask, ask.ledger.enrol()), "created_at") == 300
    assert seconds_left(reserved(ask, ask.ledger.enrol(), body={"ttl_seconds": 1.5}), "created_at") == 1.5
    assert seconds_left(reserved(ask, ask.ledger.enrol(), body={"ttl_seconds": None}), "created_at") == 300


def test_a_reservation_is_renewed_only_before_it_expires(ask):
    made = reserved(ask, ask.ledger.enrol(), body={"ttl_seconds": 10})
    ask.ledger.clock.move(9)
    renewed = ask("POST", f"/v1/reservations/{made['uuid']}/renew", {"ttl_seconds": 20})
    assert renewed.status == 200
    assert seconds_left(renewed.json["reservation"], "updated_at") == 20
    ask.ledger.clock.move(19)
    renewed = ask("POST", f"/v1/reservations/{made['uuid']}/renew")
    assert seconds_left(renewed.json["reservation"], "updated_at") == 300
    assert ask("POST", f"/v1/reservations/{made['uuid']}/renew", {"ttl_seconds": 3601}).status == 400
    ask.ledger.clock.move(300)
    assert ask("POST", f"/v1/reservations/{made['uuid']}/renew").status == 404


def test_reservations_exist_in_every_version_with_traits(ask):
    assert ask("GET", "/v1/reservations", version="1.36").status == 404
    assert ask("GET", "/v1/reservations", version="1.37").status == 200


# --- whose it is ---


def test_other_projects_neither_see_nor_use_nor_delete_a_reservation(ask):
    node = ask.ledger.enrol(owner="blue", lessee="red")
    made = reserved(ask, node, actor=BLUE)
    path = f"/v1/reservations/{made['uuid']}"
    assert ask("GET", "/v1/reservations", actor=RED).json == {"reservations": []}
    assert ask("GET", "/v1/reservations?marker=" + made["uuid"], actor=RED).status == 404
    assert [ask(method, path, actor=RED).status for method in ("GET", "DELETE")] == [404, 404]
    assert ask("POST", f"{path}/renew", actor=RED).status == 404
    body = {"target": "active", "reservation_uuid": made["uuid"]}
    assert ask("PUT", f"/v1/nodes/{node.uuid}/states/provision", body, actor=RED).status == 409
    assert ask("GET", path, actor=BLUE).status == 200


def test_an_admin_of_the_system_sees_and_deletes_every_reservation(ask):
    made = reserved(ask, ask.ledger.enrol(owner="blue"), actor=BLUE)
    assert ask("GET", "/v1/reservations").json == {"reservations": [made]}
    assert ask("DELETE", f"/v1/reservations/{made['uuid']}").status == 204


def test_a_reader_of_the_project_can_only_read(ask):
    made = reserved(ask, ask.ledger.enrol(owner="blue"), actor=BLUE)
    path = f"/v1/reservations/{made['uuid']}"
    assert ask("GET", path, actor=BLUE_READER).status == 200
    assert ask("DELETE", path, actor=BLUE_READER).status == 403
    assert ask("POST", f"{path}/renew", actor=BLUE_READER).status == 403
    assert reserve(ask, ask.ledger.enrol(owner="blue"), actor=BLUE_READER).status == 403


def test_an_invisible_node_cannot_be_reserved(ask):
    node = ask.ledger.enrol(owner="blue")
    answer = reserve(ask, node, actor=RED)
    assert (answer.status, f"node {node.uuid} could not be found" in answer.reason) == (409, True)


# --- the node meanwhile ---


@pytest.mark.parametrize("version", ["1.9", "1.115"])
def test_a_list_of_nodes_to_deploy_excludes_reserved_nodes(ask, version):
    node, other = ask.ledger.enrol(), ask.ledger.enrol()
    reserved(ask, node)
    assert listed(ask, "associated=false&provision_state=available", version=version) == [other.uuid]
    assert listed(ask, "associated=false", version=version) == [node.uuid, other.uuid]
    assert listed(ask, "provision_state=available", version=version) == [node.uuid, other.uuid]


def test_the_filter_reserved_lists_reserved_nodes(ask):
    node, other = ask.ledger.enrol(), ask.ledger.enrol()
    reserved(ask, node)
    assert listed(ask, "reserved=true") == [node.uuid]
    assert listed(ask, "reserved=false") == [other.uuid]
    assert listed(ask, "reserved=true&associated=false&provision_state=available") == [node.uuid]
    assert ask("GET", "/v1/nodes?reserved=true", version="1.36").status == 406
    assert ask("GET", "/v1/nodes?reserved=maybe").status == 400


def provision(ask: Conversation, node: Node, target: str = "active", **body: Any) -> Answer:
    version = body.pop("version", "1.115")
    return ask("PUT", f"/v1/nodes/{node.uuid}/states/provision", {"target": target, **body}, version=version)


def test_a_reserved_node_is_deployed_only_with_the_uuid_of_its_reservation(ask):
    node = ask.ledger.enrol(resource_class="gold")
    made = reserved(ask, node)
    for proof in (None, new()):
        answer = provision(ask, node, reservation_uuid=proof)
        assert (answer.status, "is reserved" in answer.reason) == (409, True)
        assert made["instance_uuid"] not in answer.reason
    assert provision(ask, node, "deploy", reservation_uuid=made["uuid"].upper()).status == 202
    assert ask("GET", f"/v1/nodes/{node.uuid}").json["instance_uuid"] == made["instance_uuid"]
    assert ask("GET", "/v1/reservations").json == {"reservations": []}


def test_only_the_verb_active_takes_the_uuid_of_a_reservation(ask):
    node = ask.ledger.enrol(state=states.ENROLL)
    assert provision(ask, node, "manage", reservation_uuid=new()).status == 400
    assert provision(ask, node, reservation_uuid="x").status == 400
    assert provision(ask, node, reservation_uuid=new(), version="1.36").status == 406
    assert provision(ask, ask.ledger.enrol(), reservation_uuid=new()).status == 404


def test_a_client_that_sets_the_instance_of_the_reservation_may_deploy(ask):
    node = ask.ledger.enrol(resource_class="gold")
    made = reserved(ask, node)
    refused = ask.patch(node.uuid, ("add", "/instance_uuid", new()))
    assert (refused.status, made["instance_uuid"] in refused.reason) == (409, False)
    assert ask.patch(node.uuid, ("add", "/instance_uuid", made["instance_uuid"])).status == 200
    assert ask("GET", f"/v1/reservations/{made['uuid']}").status == 404
    assert provision(ask, node).status == 202


def test_a_reserved_node_is_deleted_only_in_maintenance(ask):
    node = ask.ledger.enrol(resource_class="gold")
    made = reserved(ask, node)
    assert ask("DELETE", f"/v1/nodes/{node.uuid}").status == 409
    ask("PUT", f"/v1/nodes/{node.uuid}/maintenance")
    assert ask("GET", f"/v1/reservations/{made['uuid']}").status == 200
    assert ask("DELETE", f"/v1/nodes/{node.uuid}").status == 204
    assert ask("GET", f"/v1/reservations/{made['uuid']}").status == 404


# --- turned into an allocation ---


def allocate(ask: Conversation, proof: str, **options: Any) -> Answer:
    body = {"resource_class": "gold", "reservation_uuid": proof, **options.pop("body", {})}
    return ask("POST", "/v1/allocations", body, **options)


def test_a_reservation_becomes_an_active_allocation(ask):
    node = ask.ledger.enrol(resource_class="gold", owner="blue", with_traits=("CUSTOM_GPU",))
    made = reserved(ask, node, actor=BLUE)
    answer = allocate(ask, made["uuid"], actor=BLUE, body={"traits": ["CUSTOM_GPU"]})
    assert (answer.status, answer.json["state"], answer.json["node_uuid"]) == (201, "active", node.uuid)
    assert ask("GET", f"/v1/nodes/{node.uuid}").json["instance_uuid"] == answer.json["uuid"]
    assert ask("GET", f"/v1/reservations/{made['uuid']}").status == 404
    assert ask.ledger.unit(node)["used"] == 1


def test_a_reservation_cannot_become_an_allocation_of_another_project_or_class(ask):
    node = ask.ledger.enrol(resource_class="gold", owner="blue", lessee="red")
    made = reserved(ask, node, actor=BLUE)
    assert allocate(ask, made["uuid"], actor=RED).status == 404
    assert allocate(ask, new(), actor=BLUE).status == 404
    assert allocate(ask, made["uuid"], actor=BLUE, body={"resource_class": "silver"}).status == 400
    assert ask("GET", f"/v1/reservations/{made['uuid']}").status == 200
    assert ask("GET", "/v1/allocations").json["allocations"] == []
