"""Who may do what with nodes: Ironic's rule names and default checks, for the operations that Dibs has.

An existing policy.yaml for Ironic carries over: rules in it that Dibs does not ask about are read and never used. The
defaults are those of Ironic's secure RBAC; its older ``rule:is_admin`` defaults are not added to them.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from dibs.dialects.baremetal.errors import Refusal
from dibs.domain.actor import Actor
from dibs.domain.errors import Forbidden, NodeNotFound, NodeRequestNotFound
from dibs.domain.node_requests import NodeRequest
from dibs.domain.nodes import Node
from dibs.http.policy import RuleBook

Guard = Callable[[Node], None]
RequestGuard = Callable[[NodeRequest], None]


def _any(*checks: str) -> str:
    return " or ".join(f"({check})" for check in checks)


_SYSTEM_ADMIN = "role:admin and system_scope:all"
_SYSTEM_SERVICE = "role:service and system_scope:all"
_SYSTEM_MEMBER = "(role:member and system_scope:all) or rule:service_role"
_SYSTEM_READER = f"(role:reader and system_scope:all) or ({_SYSTEM_SERVICE}) or rule:service_role"

_OF_OWNER = "project_id:%(node.owner)s"
_OF_LESSEE = "project_id:%(node.lessee)s"
_OF_EITHER = f"({_OF_OWNER} or {_OF_LESSEE})"
_OWNER_SERVICE = f"role:service and {_OF_OWNER}"
_OWNER_ADMIN = _any(f"role:admin and {_OF_OWNER}", f"role:manager and {_OF_OWNER}", _OWNER_SERVICE)
_OWNER_MEMBER = _any(f"role:member and {_OF_OWNER}", _OWNER_SERVICE)
_LESSEE_ADMIN = _any(f"role:admin and {_OF_LESSEE}", f"role:manager and {_OF_LESSEE}")

_ANY_READER = "(role:reader) or (role:service)"
_ANY_MEMBER = "(role:member) or (role:service)"
_SYSTEM_OR_PROJECT_READER = _any(_SYSTEM_READER, f"role:reader and {_OF_EITHER}", _OWNER_SERVICE)
_SYSTEM_OR_PROJECT_MEMBER = _any(_SYSTEM_MEMBER, f"role:member and {_OF_EITHER}", _SYSTEM_SERVICE)
_SYSTEM_OR_OWNER_READER = _any(_SYSTEM_READER, _SYSTEM_SERVICE, f"role:reader and {_OF_OWNER}", _OWNER_SERVICE)
_MEMBER_OR_OWNER_MEMBER = _any(_SYSTEM_MEMBER, _SYSTEM_SERVICE, _OWNER_MEMBER)
_MEMBER_OR_OWNER_ADMIN = _any(_SYSTEM_MEMBER, _SYSTEM_SERVICE, _OWNER_ADMIN)
_ADMIN_OR_OWNER_ADMIN = _any(_SYSTEM_ADMIN, _SYSTEM_SERVICE, _OWNER_ADMIN)
_OF_ALLOCATION = "project_id:%(allocation.owner)s"
_OWNER_MEMBER_OR_LESSEE_ADMIN = _any(_SYSTEM_MEMBER, _SYSTEM_SERVICE, _OWNER_MEMBER, _LESSEE_ADMIN)

DEFAULTS: Mapping[str, str] = {
    # Names that files often refer to.
    "admin_api": "role:admin or role:administrator",
    "is_admin": "rule:admin_api",
    "is_node_owner": _OF_OWNER,
    "is_node_lessee": _OF_LESSEE,
    "is_allocation_owner": _OF_ALLOCATION,
    "service_role": "role:service and project_name:%(config.service_project_name)s",
    "show_password": "!",
    "show_instance_secrets": "!",
    "baremetal:node:create": _any(_SYSTEM_ADMIN, _SYSTEM_SERVICE),
    "baremetal:node:create:self_owned_node": "(role:admin) or (role:service)",
    "baremetal:node:list": _ANY_READER,
    "baremetal:node:list_all": _SYSTEM_READER,
    "baremetal:node:get": _SYSTEM_OR_PROJECT_READER,
    "baremetal:node:get:filter_threshold": _SYSTEM_READER,
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
    "baremetal:node:update:owner": _SYSTEM_MEMBER,
    "baremetal:node:update:driver_interfaces": _MEMBER_OR_OWNER_ADMIN,
    "baremetal:node:update:network_data": _MEMBER_OR_OWNER_MEMBER,
    "baremetal:node:update:conductor_group": _SYSTEM_MEMBER,
    "baremetal:node:update:name": _MEMBER_OR_OWNER_MEMBER,
    "baremetal:node:update:retired": _MEMBER_OR_OWNER_MEMBER,
    "baremetal:node:update:shard": _SYSTEM_ADMIN,
    "baremetal:node:update:parent_node": _SYSTEM_MEMBER,
    "baremetal:node:update:disable_power_off": _SYSTEM_ADMIN,
    "baremetal:node:disable_cleaning": _SYSTEM_ADMIN,
    "baremetal:node:delete": _SYSTEM_ADMIN,
    "baremetal:node:delete:self_owned_node": f"role:admin and {_OF_OWNER}",
    "baremetal:node:validate": _OWNER_MEMBER_OR_LESSEE_ADMIN,
    "baremetal:node:set_maintenance": _OWNER_MEMBER_OR_LESSEE_ADMIN,
    "baremetal:node:clear_maintenance": _OWNER_MEMBER_OR_LESSEE_ADMIN,
    "baremetal:node:get_boot_device": _MEMBER_OR_OWNER_ADMIN,
    "baremetal:node:set_boot_device": _MEMBER_OR_OWNER_ADMIN,
    "baremetal:node:get_states": _SYSTEM_OR_PROJECT_READER,
    "baremetal:node:set_power_state": _SYSTEM_OR_PROJECT_MEMBER,
    "baremetal:node:set_provision_state": _OWNER_MEMBER_OR_LESSEE_ADMIN,
    "baremetal:node:set_provision_state:clean_steps": _OWNER_MEMBER_OR_LESSEE_ADMIN,
    "baremetal:node:set_provision_state:service_steps": _OWNER_MEMBER_OR_LESSEE_ADMIN,
    "baremetal:node:traits:list": _SYSTEM_OR_PROJECT_READER,
    "baremetal:node:traits:set": _MEMBER_OR_OWNER_ADMIN,
    "baremetal:node:traits:delete": _MEMBER_OR_OWNER_ADMIN,
    "baremetal:port:get": _SYSTEM_OR_PROJECT_READER,
    "baremetal:port:list": _ANY_READER,
    "baremetal:port:list_all": _SYSTEM_READER,
    "baremetal:port:create": _ADMIN_OR_OWNER_ADMIN,
    "baremetal:port:delete": _ADMIN_OR_OWNER_ADMIN,
    "baremetal:port:update": _MEMBER_OR_OWNER_ADMIN,
    # Reservations of nodes, which no released service has. Of those whom these let pass, each sees and uses only what
    # its own project has reserved; who runs the system, everything (domain/holds.py).
    "baremetal:reservation:list": _ANY_READER,
    "baremetal:reservation:get": _ANY_READER,
    "baremetal:reservation:create": _ANY_MEMBER,
    "baremetal:reservation:renew": _ANY_MEMBER,
    "baremetal:reservation:delete": _ANY_MEMBER,
    "baremetal:allocation:get": _any(_SYSTEM_READER, f"role:reader and {_OF_ALLOCATION}"),
    "baremetal:allocation:list": _ANY_READER,
    "baremetal:allocation:list_all": _SYSTEM_READER,
    "baremetal:allocation:create": _any(_SYSTEM_MEMBER, "role:member"),
    "baremetal:allocation:create_restricted": _SYSTEM_MEMBER,
    "baremetal:allocation:delete": _any(_SYSTEM_MEMBER, f"role:member and {_OF_ALLOCATION}"),
    "baremetal:allocation:update": _any(_SYSTEM_MEMBER, f"role:member and {_OF_ALLOCATION}"),
    "baremetal:driver:get": _SYSTEM_READER,
    "baremetal:driver:get_properties": _SYSTEM_READER,
    "baremetal:conductor:get": _SYSTEM_READER,
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


def update_rules(changes: Iterable[tuple[str, Any]]) -> frozenset[str]:
    """The rules that a patch needs, from its attributes and the values given to them."""
    rules = {_update_rule(name, value) for name, value in changes}
    return frozenset(rules or {_UPDATE})


def _update_rule(name: str, value: Any) -> str:
    if name.endswith("_interface"):
        return "baremetal:node:update:driver_interfaces"
    if name == "automated_clean" and str(value).strip().lower() in ("false", "0", "no", "off", "n", "f"):
        return "baremetal:node:disable_cleaning"
    return _UPDATE_RULES.get(name, _UPDATE)


class Policy:
    """The rules of this dialect, asked in its own words."""

    def __init__(self, policy_file: str | None = None) -> None:
        self._rules = RuleBook(DEFAULTS, policy_file)

    def allows(self, rule: str, actor: Actor, owner: str | None = None, lessee: str | None = None) -> bool:
        """True when the rule lets the actor do this to a node with this owner and lessee."""
        # A node without an owner must not match a caller without a project, so what is absent stays absent.
        asked = {"node.owner": owner, "node.lessee": lessee}
        return self._rules.allows(rule, actor, {name: project for name, project in asked.items() if project})

    def require(self, rule: str, actor: Actor) -> None:
        """Refuse an actor who may not do this at all."""
        if not self.allows(rule, actor):
            raise Forbidden(resource=rule)

    def guard(self, actor: Actor, ident: str, *rules: str) -> Guard:
        """What a use case calls with the node: 404 for one that the actor may not see, 403 for what it may not do."""

        def check(node: Node) -> None:
            if not self.allows("baremetal:node:get", actor, node.owner, node.lessee):
                raise NodeNotFound(node=ident)
            self._require_on_node(rules, actor, node)

        return check

    def delete_guard(self, actor: Actor, ident: str) -> Guard:
        """Deleting: whoever may delete nodes, or the admin of the project that owns this one."""

        def check(node: Node) -> None:
            self.guard(actor, ident)(node)
            if not self.allows("baremetal:node:delete", actor, node.owner, node.lessee):
                self._require_on_node(("baremetal:node:delete:self_owned_node",), actor, node)

        return check

    def visible_project(self, noun: str, actor: Actor, asked: str | None = None) -> str | None:
        """The project that a list is restricted to; None when the actor sees everything."""
        everything = f"baremetal:{noun}:list_all"
        if self.allows(everything, actor):
            return asked
        if not actor.project or (asked and asked != actor.project):
            raise Forbidden(resource=everything)
        self.require(f"baremetal:{noun}:list", actor)
        return actor.project

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

    def request_guard(self, actor: Actor, ident: str, *rules: str) -> RequestGuard:
        """What a use case calls with a request for a node: 404 for one that the actor may not see, else 403."""

        def check(request: NodeRequest) -> None:
            target = {"allocation.owner": request.owner} if request.owner else {}
            if not self._rules.allows("baremetal:allocation:get", actor, target):
                raise NodeRequestNotFound(request=ident)
            for rule in rules:
                if not self._rules.allows(rule, actor, target):
                    raise Forbidden(resource=rule)

        return check

    def owner_of_new_request(self, actor: Actor, asked: str | None) -> str | None:
        """Whose nodes a request of this actor may have: those of its project, unless it speaks for the system.

        Quirk not copied: without ``enforce_new_defaults`` Ironic lets a project's member ask for everybody's nodes.
        """
        self.require("baremetal:allocation:create", actor)
        if self.allows("baremetal:allocation:create_restricted", actor):
            return asked if actor.system_scope else asked or actor.project
        if not actor.project or asked not in (None, actor.project):
            raise Forbidden(resource="baremetal:allocation:create_restricted")
        return actor.project

    def _require_on_node(self, rules: Iterable[str], actor: Actor, node: Node) -> None:
        for rule in rules:
            if not self.allows(rule, actor, node.owner, node.lessee):
                raise Forbidden(resource=rule)
