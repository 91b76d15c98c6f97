"""Who may do what with nodes: Ironic's rule names and default checks, for the operations that Dibs has.

An existing policy.yaml for Ironic carries over: rules in it that Dibs does not ask about are read and never used. The
defaults are those of Ironic's secure RBAC; its older ``rule:is_admin`` defaults are not added to them.
"""

from collections.abc import Mapping
from typing import Any

from dibs.access import machine_policy
from dibs.access.actor import Actor
from dibs.access.machine_policy import (
    ANY_READER,
    OF_EITHER,
    OF_LESSEE,
    OF_OWNER,
    OWNER_SERVICE,
    SYSTEM_MEMBER,
    SYSTEM_OR_PROJECT_READER,
    SYSTEM_READER,
    SYSTEM_SERVICE,
    MachinePolicy,
    any_of,
)
from dibs.dialects.baremetal.errors import Refusal
from dibs.documents.json_patch import Patch

_SYSTEM_ADMIN = "role:admin and system_scope:all"
_OWNER_ADMIN = any_of(f"role:admin and {OF_OWNER}", f"role:manager and {OF_OWNER}", OWNER_SERVICE)
_OWNER_MEMBER = any_of(f"role:member and {OF_OWNER}", OWNER_SERVICE)
_LESSEE_ADMIN = any_of(f"role:admin and {OF_LESSEE}", f"role:manager and {OF_LESSEE}")

_ANY_MEMBER = "(role:member) or (role:service)"
_SYSTEM_OR_PROJECT_MEMBER = any_of(SYSTEM_MEMBER, f"role:member and {OF_EITHER}", SYSTEM_SERVICE)
_SYSTEM_OR_OWNER_READER = any_of(SYSTEM_READER, SYSTEM_SERVICE, f"role:reader and {OF_OWNER}", OWNER_SERVICE)
_MEMBER_OR_OWNER_MEMBER = any_of(SYSTEM_MEMBER, SYSTEM_SERVICE, _OWNER_MEMBER)
_MEMBER_OR_OWNER_ADMIN = any_of(SYSTEM_MEMBER, SYSTEM_SERVICE, _OWNER_ADMIN)
_ADMIN_OR_OWNER_ADMIN = any_of(_SYSTEM_ADMIN, SYSTEM_SERVICE, _OWNER_ADMIN)
_OWNER_MEMBER_OR_LESSEE_ADMIN = any_of(SYSTEM_MEMBER, SYSTEM_SERVICE, _OWNER_MEMBER, _LESSEE_ADMIN)

DEFAULTS: Mapping[str, str] = {
    **machine_policy.DEFAULTS,
    "show_password": "!",
    "show_instance_secrets": "!",
    "baremetal:node:create": any_of(_SYSTEM_ADMIN, SYSTEM_SERVICE),
    "baremetal:node:create:self_owned_node": "(role:admin) or (role:service)",
    "baremetal:node:list": ANY_READER,
    "baremetal:node:list_all": SYSTEM_READER,
    "baremetal:node:get:filter_threshold": SYSTEM_READER,
    "baremetal:node:get:last_error": _SYSTEM_OR_OWNER_READER,
    "baremetal:node:get:reservation": _SYSTEM_OR_OWNER_READER,
    "baremetal:node:get:driver_internal_info": _SYSTEM_OR_OWNER_READER,
    "baremetal:node:get:driver_info": _SYSTEM_OR_OWNER_READER,
    "baremetal:node:update": _SYSTEM_OR_PROJECT_MEMBER,
    "baremetal:node:update_extra": _SYSTEM_OR_PROJECT_MEMBER,
    "baremetal:node:update_instance_info": _OWNER_MEMBER_OR_LESSEE_ADMIN,
    "baremetal:node:update_owner_provisioned": _SYSTEM_ADMIN,
    "baremetal:node:update:driver_info": _MEMBER_OR_OWNER_MEMBER,
    "baremetal:node:update:properties": _MEMBER_OR_OWNER_MEMBER,
    "baremetal:node:update:chassis_uuid": _SYSTEM_ADMIN,
    "baremetal:node:update:instance_uuid": _MEMBER_OR_OWNER_MEMBER,
    "baremetal:node:update:lessee": _MEMBER_OR_OWNER_MEMBER,
    "baremetal:node:update:owner": SYSTEM_MEMBER,
    "baremetal:node:update:driver_interfaces": _MEMBER_OR_OWNER_ADMIN,
    "baremetal:node:update:network_data": _MEMBER_OR_OWNER_MEMBER,
    "baremetal:node:update:conductor_group": SYSTEM_MEMBER,
    "baremetal:node:update:name": _MEMBER_OR_OWNER_MEMBER,
    "baremetal:node:update:retired": _MEMBER_OR_OWNER_MEMBER,
    "baremetal:node:update:shard": _SYSTEM_ADMIN,
    "baremetal:node:update:parent_node": SYSTEM_MEMBER,
    "baremetal:node:update:disable_power_off": _SYSTEM_ADMIN,
    "baremetal:node:disable_cleaning": _SYSTEM_ADMIN,
    "baremetal:node:delete": _SYSTEM_ADMIN,
    "baremetal:node:delete:self_owned_node": f"role:admin and {OF_OWNER}",
    "baremetal:node:validate": _OWNER_MEMBER_OR_LESSEE_ADMIN,
    "baremetal:node:set_maintenance": _OWNER_MEMBER_OR_LESSEE_ADMIN,
    "baremetal:node:clear_maintenance": _OWNER_MEMBER_OR_LESSEE_ADMIN,
    "baremetal:node:get_boot_device": _MEMBER_OR_OWNER_ADMIN,
    "baremetal:node:set_boot_device": _MEMBER_OR_OWNER_ADMIN,
    "baremetal:node:get_states": SYSTEM_OR_PROJECT_READER,
    "baremetal:node:set_power_state": _SYSTEM_OR_PROJECT_MEMBER,
    "baremetal:node:set_provision_state": _OWNER_MEMBER_OR_LESSEE_ADMIN,
    "baremetal:node:set_provision_state:clean_steps": _OWNER_MEMBER_OR_LESSEE_ADMIN,
    "baremetal:node:set_provision_state:service_steps": _OWNER_MEMBER_OR_LESSEE_ADMIN,
    "baremetal:node:traits:list": SYSTEM_OR_PROJECT_READER,
    "baremetal:node:traits:set": _MEMBER_OR_OWNER_ADMIN,
    "baremetal:node:traits:delete": _MEMBER_OR_OWNER_ADMIN,
    "baremetal:port:get": SYSTEM_OR_PROJECT_READER,
    "baremetal:port:list": ANY_READER,
    "baremetal:port:list_all": SYSTEM_READER,
    "baremetal:port:create": _ADMIN_OR_OWNER_ADMIN,
    "baremetal:port:delete": _ADMIN_OR_OWNER_ADMIN,
    "baremetal:port:update": _MEMBER_OR_OWNER_ADMIN,
    # Reservations of nodes, which no released service has. Of those whom these let pass, each sees and uses only what
    # its own project has reserved; who runs the system, everything (domain/holds.py).
    "baremetal:reservation:list": ANY_READER,
    "baremetal:reservation:get": ANY_READER,
    "baremetal:reservation:create": _ANY_MEMBER,
    "baremetal:reservation:renew": _ANY_MEMBER,
    "baremetal:reservation:delete": _ANY_MEMBER,
    "baremetal:driver:get": SYSTEM_READER,
    "baremetal:driver:get_properties": SYSTEM_READER,
    "baremetal:conductor:get": SYSTEM_READER,
}

_UPDATE = "baremetal:node:update"
_UPDATE_RULES: Mapping[str, str] = {
    "instance_info": "baremetal:node:update_instance_info",
    "instance_name": "baremetal:node:update_instance_info",
    "extra": "baremetal:node:update_extra",
    "driver": "baremetal:node:update:driver_interfaces",
    "retired_reason": "baremetal:node:update:retired",
    **{
        name: f"baremetal:node:update:{name}"
        for name in (
            "driver_info", "properties", "chassis_uuid", "instance_uuid", "lessee", "owner", "network_data",
            "conductor_group", "name", "retired", "shard", "parent_node", "disable_power_off",
        )
    },
}  # fmt: skip


def update_rules(patch: Patch) -> frozenset[str]:
    """Return the rules that a patch needs, from its attributes and the values given to them."""
    rules = {_update_rule(operation.root, operation.value) for operation in patch}
    return frozenset(rules or {_UPDATE})


def _update_rule(name: str, value: Any) -> str:
    if name.endswith("_interface"):
        return "baremetal:node:update:driver_interfaces"
    if name == "automated_clean" and str(value).strip().lower() in ("false", "0", "no", "off", "n", "f"):
        return "baremetal:node:disable_cleaning"
    return _UPDATE_RULES.get(name, _UPDATE)


class Policy(MachinePolicy):
    """The rules of this dialect, asked in its own words."""

    def __init__(self, policy_file: str | None = None) -> None:
        super().__init__(policy_file, DEFAULTS)

    def owner_of_new_node(self, actor: Actor, asked: str | None) -> str | None:
        """Who will own a node that the actor creates.

        Quirk not copied: in Ironic's noauth everybody is a project-scoped admin without a project and cannot give an
        owner (contract sample 021); in Dibs' noauth everybody speaks for the system and can.
        """
        if self.allows("baremetal:node:create", actor):
            return asked
        self.require("baremetal:node:create:self_owned_node", actor)
        if asked and asked != actor.project:
            raise Refusal(
                400, "Cannot create a node as a project scoped admin with an owner other than your own project."
            )
        return actor.project
