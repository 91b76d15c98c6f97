"""Who may do what by default: the system's users, a node's owner, its lessee, and other projects."""

import pytest

from dibs.access.access import EVERY_PROJECT
from dibs.access.actor import Actor
from dibs.access.machine_policy import MachinePolicy, listed_projects
from dibs.errors import Forbidden
from dibs.machines.model.access import node_target
from tests.dialects.baremetal.conversation import ADMIN_ROLES, MEMBER_ROLES, SYSTEM_ADMIN, person

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

EVERYBODY = {
    "system admin": SYSTEM_ADMIN, "system member": SYSTEM_MEMBER, "system reader": SYSTEM_READER,
    "owner admin": OWNER_ADMIN, "owner member": OWNER_MEMBER, "owner reader": OWNER_READER,
    "lessee admin": LESSEE_ADMIN, "lessee member": LESSEE_MEMBER, "lessee reader": LESSEE_READER,
    "stranger": STRANGER, "nobody": NOBODY,
}  # fmt: skip
SYSTEM = ["system admin", "system member"]
OWNERS = ["owner admin", "owner member"]
READERS = [*SYSTEM, "system reader", *OWNERS, "owner reader", "lessee admin", "lessee member", "lessee reader"]

MAY = {
    "baremetal:node:get": READERS,
    "baremetal:node:update": [*SYSTEM, *OWNERS, "lessee admin", "lessee member"],
    "baremetal:node:update:owner": SYSTEM,
    "baremetal:node:update:lessee": [*SYSTEM, *OWNERS],
    "baremetal:node:update:driver_interfaces": [*SYSTEM, "owner admin"],
    "baremetal:node:update_instance_info": [*SYSTEM, *OWNERS, "lessee admin"],
    "baremetal:node:update:shard": ["system admin"],
    "baremetal:node:delete": ["system admin"],
    "baremetal:node:delete:self_owned_node": ["owner admin"],
    "baremetal:node:set_provision_state": [*SYSTEM, *OWNERS, "lessee admin"],
    "baremetal:node:set_power_state": [*SYSTEM, *OWNERS, "lessee admin", "lessee member"],
    "baremetal:node:traits:set": [*SYSTEM, "owner admin"],
    "baremetal:node:get:driver_info": [*SYSTEM, "system reader", *OWNERS, "owner reader"],
    "baremetal:port:create": ["system admin", "owner admin"],
    "baremetal:driver:get": [*SYSTEM, "system reader"],
    "baremetal:reservation:get": [*READERS, "stranger"],
    "baremetal:reservation:create": [*SYSTEM, *OWNERS, "lessee admin", "lessee member", "stranger"],
    "show_password": [],
}


@pytest.mark.parametrize(("rule", "allowed"), MAY.items(), ids=MAY)
def test_a_rule_is_granted_to_exactly_these_callers(rule: str, allowed: list[str]) -> None:
    policy, target = MachinePolicy(), node_target("owner", "lessee")
    assert [name for name, actor in EVERYBODY.items() if policy.access(actor).allows(rule, target)] == allowed


def listed(actor: Actor, asked: str | None = None) -> object:
    return listed_projects(MachinePolicy().access(actor), "node", asked)


def test_a_list_shows_the_project_of_the_caller_or_every_project() -> None:
    assert listed(SYSTEM_READER) is listed(SYSTEM_READER, "owner") is EVERY_PROJECT
    assert listed(OWNER_READER) == listed(OWNER_READER, "owner") == {"owner"}


@pytest.mark.parametrize(("actor", "asked"), [(OWNER_READER, "lessee"), (NOBODY, None), (person("owner"), None)])
def test_a_list_of_another_project_or_without_a_role_is_forbidden(actor: Actor, asked: str | None) -> None:
    with pytest.raises(Forbidden):
        listed(actor, asked)
