"""The table of docs/howto/serve-for-others.md: the status of each operation for each role in each project."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from dibs.access.actor import Actor
from dibs.machines.model import states
from tests.dialects.baremetal.conversation import ADMIN_ROLES, MEMBER_ROLES, SYSTEM_ADMIN, Conversation, person

CALLERS = {
    "system admin": SYSTEM_ADMIN,
    "system member": Actor(user="sm", roles=frozenset(MEMBER_ROLES), system_scope=True),
    "system reader": Actor(user="sr", roles=frozenset({"reader"}), system_scope=True),
    "owner admin": person("owner", *ADMIN_ROLES),
    "owner member": person("owner", *MEMBER_ROLES),
    "owner reader": person("owner", "reader"),
    "lessee admin": person("lessee", *ADMIN_ROLES),
    "lessee member": person("lessee", *MEMBER_ROLES),
    "lessee reader": person("lessee", "reader"),
    "stranger": person("stranger", *ADMIN_ROLES),
    "without roles": Actor(user="without roles"),
}
SYSTEM = {"system admin", "system member"}
OWNER = {"owner admin", "owner member"}
EVERY_MEMBER = SYSTEM | OWNER | {"lessee admin", "lessee member"}
EVERY_READER = EVERY_MEMBER | {"system reader", "owner reader", "lessee reader"}
OWNER_OR_LESSEE_ADMIN = SYSTEM | OWNER | {"lessee admin"}
INSTANCE = "22222222-0000-4000-8000-0000000000{:02}"


@dataclass(frozen=True)
class Row:
    """One operation on a node that has an instance: the callers that may, and the status that they get."""

    method: str
    path: str
    allowed: set[str]
    status: int
    body: Any = None
    others: dict[str, int] = field(default_factory=dict)
    """Statuses other than 404 for callers that do not see the node, and 403 for the others."""

    def expected(self, caller: str) -> int:
        """Return the status for a caller."""
        if caller in self.allowed:
            return self.status
        return self.others.get(caller, 403 if caller in EVERY_READER else 404)


def patch(path: str, value: Any, allowed: set[str], op: str = "replace", status: int = 200) -> Row:
    """Return the row of a patch of one attribute; 409 where the state of the node forbids it."""
    return Row("PATCH", "", allowed, status, [{"op": op, "path": path} | ({} if op == "remove" else {"value": value})])


IN_BODY = {"stranger": 400, "without roles": 400}
"""A node that a body names and the caller does not see is 400."""
NOT_OF_A_NODE = {"stranger": 403, "without roles": 403}
ADMINS = {"system admin", "owner admin"}

TABLE = {
    "show": Row("GET", "", EVERY_READER, 200),
    "show states": Row("GET", "/states", EVERY_READER, 200),
    "list traits": Row("GET", "/traits", EVERY_READER, 200),
    "list ports": Row("GET", "/ports", EVERY_READER, 200, others={"without roles": 403}),
    "switch power": Row("PUT", "/states/power", EVERY_MEMBER, 202, {"target": "power on"}),
    "undeploy": Row("PUT", "/states/provision", OWNER_OR_LESSEE_ADMIN, 202, {"target": "deleted"}),
    "rebuild": Row("PUT", "/states/provision", OWNER_OR_LESSEE_ADMIN, 202, {"target": "rebuild"}),
    "set maintenance": Row("PUT", "/maintenance", OWNER_OR_LESSEE_ADMIN, 202, {"reason": "x"}),
    "clear maintenance": Row("DELETE", "/maintenance", OWNER_OR_LESSEE_ADMIN, 202),
    "patch maintenance on": patch("/maintenance", True, OWNER_OR_LESSEE_ADMIN),
    "patch maintenance on, as text": patch("/maintenance", "true", OWNER_OR_LESSEE_ADMIN),
    "patch maintenance off": patch("/maintenance", False, OWNER_OR_LESSEE_ADMIN),
    "remove maintenance": patch("/maintenance", None, OWNER_OR_LESSEE_ADMIN, op="remove"),
    "validate": Row("GET", "/validate", OWNER_OR_LESSEE_ADMIN, 200),
    "patch description": patch("/description", "x", EVERY_MEMBER, op="add"),
    "patch extra": patch("/extra/a", 1, EVERY_MEMBER, op="add"),
    "patch instance_info": patch("/instance_info/a", 1, OWNER_OR_LESSEE_ADMIN, op="add"),
    "patch name": patch("/name", None, SYSTEM | OWNER),
    "patch properties": patch("/properties/a", 1, SYSTEM | OWNER, op="add"),
    "patch driver_info": patch("/driver_info/a", 1, SYSTEM | OWNER, op="add"),
    "patch lessee": patch("/lessee", "x", SYSTEM | OWNER),
    "patch network_data": patch("/network_data/a", 1, SYSTEM | OWNER, op="add"),
    "patch retired": patch("/retired", True, SYSTEM | OWNER),
    "remove instance_uuid": patch("/instance_uuid", None, SYSTEM | OWNER, op="remove"),
    "patch an interface": patch("/power_interface", "fake", SYSTEM | {"owner admin"}, status=409),
    "patch conductor_group": patch("/conductor_group", "", SYSTEM),
    "patch shard": patch("/shard", "x", {"system admin"}, op="add"),
    "disable cleaning": patch("/automated_clean", False, {"system admin"}, op="add"),
    "set traits": Row("PUT", "/traits", SYSTEM | {"owner admin"}, 200, {"traits": ["CUSTOM_A"]}),
    "delete": Row("DELETE", "", ADMINS, 409),
    "backfill an allocation": Row(
        "POST", "/v1/allocations", SYSTEM | OWNER, 201, {"node": "{node}"}, {"stranger": 400, "without roles": 403}
    ),
    "create a port": Row(
        "POST", "/v1/ports", ADMINS, 201, {"node_uuid": "{node}", "address": "52:54:00:00:00:{number:02x}"}, IN_BODY
    ),
    "create a port group": Row("POST", "/v1/portgroups", ADMINS, 201, {"node_uuid": "{node}"}, IN_BODY),
    "create a volume connector": Row(
        "POST",
        "/v1/volume/connectors",
        SYSTEM | {"owner admin", "lessee admin"},
        201,
        {"node_uuid": "{node}", "type": "iqn", "connector_id": "{number}"},
        IN_BODY,
    ),
    "create a volume target": Row(
        "POST",
        "/v1/volume/targets",
        SYSTEM | {"owner admin", "lessee admin"},
        201,
        {"node_uuid": "{node}", "volume_type": "iscsi", "volume_id": "v", "boot_index": 0},
        IN_BODY,
    ),
    "list volumes": Row("GET", "/volume", EVERY_READER, 200),
    "list virtual interfaces": Row("GET", "/vifs", EVERY_READER, 200),
    # The node has no port, so that those who may attach get 400.
    "attach a virtual interface": Row("POST", "/vifs", OWNER_OR_LESSEE_ADMIN, 400, {"id": "v"}),
    "detach a virtual interface": Row("DELETE", "/vifs/v", OWNER_OR_LESSEE_ADMIN, 400),
    "patch chassis_uuid": patch("/chassis_uuid", None, {"system admin"}),
    "create a chassis": Row("POST", "/v1/chassis", {"system admin"}, 201, {}, NOT_OF_A_NODE),
    "list chassis": Row("GET", "/v1/chassis", SYSTEM | {"system reader"}, 200, others=NOT_OF_A_NODE),
}


@pytest.mark.parametrize("operation", TABLE)
def test_an_operation_is_granted_to_exactly_these_callers(ask: Conversation, operation: str) -> None:
    row = TABLE[operation]
    found = {}
    for number, (caller, actor) in enumerate(CALLERS.items()):
        values = {"name": f"n{number}", "owner": "owner", "lessee": "lessee", "resource_class": "gold"}
        node = ask.ledger.enrol(state=states.ACTIVE, instance_uuid=INSTANCE.format(number), **values).uuid
        path = row.path if row.path.startswith("/v1") else f"/v1/nodes/{node}{row.path}"
        found[caller] = ask(row.method, path, fill(row.body, node=node, number=number), actor=actor).status
    assert found == {caller: row.expected(caller) for caller in CALLERS}


def fill(body: Any, **values: Any) -> Any:
    """Return the body with the values of a request in its texts."""
    if not isinstance(body, dict):
        return body
    return {key: value.format(**values) if isinstance(value, str) else value for key, value in body.items()}


def test_a_member_of_the_lessee_cannot_remove_the_instance_of_the_owner(ask: Conversation) -> None:
    values = {"owner": "owner", "lessee": "lessee", "resource_class": "gold"}
    node = ask.ledger.enrol(state=states.ACTIVE, instance_uuid=INSTANCE.format(1), maintenance=True, **values)
    member = CALLERS["lessee member"]
    assert ask("POST", "/v1/allocations", {"node": node.uuid}, actor=member).status == 403
    assert ask("DELETE", f"/v1/allocations/{INSTANCE.format(1)}", actor=member).status == 404
    assert ask("DELETE", f"/v1/nodes/{node.uuid}/allocation", actor=member).status == 400
    assert ask.ledger.node(node).instance_uuid == INSTANCE.format(1)
