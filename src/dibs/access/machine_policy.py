"""Rules for machines and allocations: Ironic's rule names with its default checks, for the operations that Dibs has.

An existing policy.yaml for Ironic carries over; Dibs ignores rules for operations that it does not have. The defaults
are those of Ironic's secure RBAC, without the older ``rule:is_admin`` defaults. Which node or allocation a rule is
checked on is decided in ``machines.model.access`` and ``allocations.model.access``.
"""

from collections.abc import Mapping

from dibs.access.access import EVERY_PROJECT, Access, VisibleProjects
from dibs.access.actor import Actor
from dibs.access.rules import RuleBook
from dibs.errors import Forbidden


def _any_of(*checks: str) -> str:
    """Return a check that holds when one of these does."""
    return " or ".join(f"({check})" for check in checks)


_SYSTEM_SERVICE = "role:service and system_scope:all"
_SYSTEM_MEMBER = "(role:member and system_scope:all) or rule:service_role"
_SYSTEM_READER = f"(role:reader and system_scope:all) or ({_SYSTEM_SERVICE}) or rule:service_role"
_OF_OWNER = "project_id:%(node.owner)s"
_OF_LESSEE = "project_id:%(node.lessee)s"
_OF_EITHER = f"({_OF_OWNER} or {_OF_LESSEE})"
_OWNER_SERVICE = f"role:service and {_OF_OWNER}"
_ANY_READER = "(role:reader) or (role:service)"
_SYSTEM_OR_PROJECT_READER = _any_of(_SYSTEM_READER, f"role:reader and {_OF_EITHER}", _OWNER_SERVICE)
_OF_ALLOCATION = "project_id:%(allocation.owner)s"
_SYSTEM_ADMIN = "role:admin and system_scope:all"
_OWNER_ADMIN = _any_of(f"role:admin and {_OF_OWNER}", f"role:manager and {_OF_OWNER}", _OWNER_SERVICE)
_OWNER_MEMBER = _any_of(f"role:member and {_OF_OWNER}", _OWNER_SERVICE)
_LESSEE_ADMIN = _any_of(f"role:admin and {_OF_LESSEE}", f"role:manager and {_OF_LESSEE}")
_ANY_MEMBER = "(role:member) or (role:service)"
_SYSTEM_OR_PROJECT_MEMBER = _any_of(_SYSTEM_MEMBER, f"role:member and {_OF_EITHER}", _SYSTEM_SERVICE)
_SYSTEM_OR_OWNER_READER = _any_of(_SYSTEM_READER, _SYSTEM_SERVICE, f"role:reader and {_OF_OWNER}", _OWNER_SERVICE)
_MEMBER_OR_OWNER_MEMBER = _any_of(_SYSTEM_MEMBER, _SYSTEM_SERVICE, _OWNER_MEMBER)
_MEMBER_OR_OWNER_ADMIN = _any_of(_SYSTEM_MEMBER, _SYSTEM_SERVICE, _OWNER_ADMIN)
_ADMIN_OR_OWNER_ADMIN = _any_of(_SYSTEM_ADMIN, _SYSTEM_SERVICE, _OWNER_ADMIN)
_OWNER_ADMIN_OR_LESSEE_ADMIN = _any_of(_SYSTEM_MEMBER, _SYSTEM_SERVICE, _OWNER_ADMIN, _LESSEE_ADMIN)
_OWNER_MEMBER_OR_LESSEE_ADMIN = _any_of(_SYSTEM_MEMBER, _SYSTEM_SERVICE, _OWNER_MEMBER, _LESSEE_ADMIN)

RULES: Mapping[str, str] = {
    # Rules that policy files often refer to.
    "admin_api": "role:admin or role:administrator",
    "is_admin": "rule:admin_api",
    "is_node_owner": _OF_OWNER,
    "is_node_lessee": _OF_LESSEE,
    "is_allocation_owner": _OF_ALLOCATION,
    "service_role": "role:service and project_name:%(config.service_project_name)s",
    "baremetal:node:get": _SYSTEM_OR_PROJECT_READER,
    "baremetal:allocation:get": _any_of(_SYSTEM_READER, f"role:reader and {_OF_ALLOCATION}"),
    "baremetal:allocation:list": _ANY_READER,
    "baremetal:allocation:list_all": _SYSTEM_READER,
    "baremetal:allocation:create": _any_of(_SYSTEM_MEMBER, "role:member"),
    "baremetal:allocation:create_restricted": _SYSTEM_MEMBER,
    "baremetal:allocation:delete": _any_of(_SYSTEM_MEMBER, f"role:member and {_OF_ALLOCATION}"),
    "baremetal:allocation:update": _any_of(_SYSTEM_MEMBER, f"role:member and {_OF_ALLOCATION}"),
    "show_password": "!",
    "show_instance_secrets": "!",
    "baremetal:node:create": _any_of(_SYSTEM_ADMIN, _SYSTEM_SERVICE),
    "baremetal:node:create:self_owned_node": "(role:admin) or (role:service)",
    "baremetal:node:list": _ANY_READER,
    "baremetal:node:list_all": _SYSTEM_READER,
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
    "baremetal:node:history:get": _SYSTEM_OR_OWNER_READER,
    "baremetal:node:traits:list": _SYSTEM_OR_PROJECT_READER,
    "baremetal:node:traits:set": _MEMBER_OR_OWNER_ADMIN,
    "baremetal:node:traits:delete": _MEMBER_OR_OWNER_ADMIN,
    "baremetal:port:get": _SYSTEM_OR_PROJECT_READER,
    "baremetal:port:list": _ANY_READER,
    "baremetal:port:list_all": _SYSTEM_READER,
    "baremetal:port:create": _ADMIN_OR_OWNER_ADMIN,
    "baremetal:port:delete": _ADMIN_OR_OWNER_ADMIN,
    "baremetal:port:update": _MEMBER_OR_OWNER_ADMIN,
    "baremetal:portgroup:get": _SYSTEM_OR_PROJECT_READER,
    "baremetal:portgroup:list": _ANY_READER,
    "baremetal:portgroup:list_all": _SYSTEM_READER,
    "baremetal:portgroup:create": _ADMIN_OR_OWNER_ADMIN,
    "baremetal:portgroup:delete": _ADMIN_OR_OWNER_ADMIN,
    "baremetal:portgroup:update": _MEMBER_OR_OWNER_ADMIN,
    "baremetal:volume:get": _SYSTEM_OR_PROJECT_READER,
    "baremetal:volume:list": _ANY_READER,
    "baremetal:volume:list_all": _SYSTEM_READER,
    "baremetal:volume:create": _OWNER_ADMIN_OR_LESSEE_ADMIN,
    "baremetal:volume:delete": _OWNER_ADMIN_OR_LESSEE_ADMIN,
    "baremetal:volume:update": _OWNER_MEMBER_OR_LESSEE_ADMIN,
    "baremetal:volume:view_target_properties": _any_of(_SYSTEM_READER, "role:admin"),
    "baremetal:node:vif:list": _SYSTEM_OR_PROJECT_READER,
    "baremetal:node:vif:attach": _OWNER_MEMBER_OR_LESSEE_ADMIN,
    "baremetal:node:vif:detach": _OWNER_MEMBER_OR_LESSEE_ADMIN,
    "baremetal:chassis:get": _SYSTEM_READER,
    "baremetal:chassis:create": _SYSTEM_ADMIN,
    "baremetal:chassis:delete": _SYSTEM_ADMIN,
    "baremetal:chassis:update": _SYSTEM_MEMBER,
    # Reservations of nodes, which no released service has. A caller with these rules sees and uses only the
    # reservations of its project; an admin of the system sees and uses all of them (machines.model.holds).
    "baremetal:reservation:list": _ANY_READER,
    "baremetal:reservation:get": _ANY_READER,
    "baremetal:reservation:create": _ANY_MEMBER,
    "baremetal:reservation:renew": _ANY_MEMBER,
    "baremetal:reservation:delete": _ANY_MEMBER,
    # Events, which no released service has: those of the caller's project, or of every project.
    "dibs:event:list": _ANY_READER,
    "dibs:event:list_all": _SYSTEM_READER,
    # Webhooks: those of the caller's project, or of every project. The URL of one may contain a key.
    "dibs:webhook:get": _ANY_MEMBER,
    "dibs:webhook:get_all": _SYSTEM_MEMBER,
    "dibs:webhook:create": _ANY_MEMBER,
    "dibs:webhook:create_all": _SYSTEM_MEMBER,
    "dibs:webhook:delete": _ANY_MEMBER,
    "dibs:webhook:delete_all": _SYSTEM_MEMBER,
    # Calendars: those of the caller's project, or of every project. A feed shows what its creator may list.
    "dibs:calendar:get": _ANY_READER,
    "dibs:calendar:get_all": _SYSTEM_READER,
    "dibs:calendar:create": _ANY_READER,
    "dibs:calendar:create_all": _SYSTEM_READER,
    "dibs:calendar:delete": _ANY_MEMBER,
    "dibs:calendar:delete_all": _SYSTEM_MEMBER,
    # Quotas of projects: that of the caller's project, or of every project.
    "dibs:quota:get": _ANY_READER,
    "dibs:quota:list_all": _SYSTEM_READER,
    "dibs:quota:update": _SYSTEM_ADMIN,
    # Maintenance of hosts: every user sees when hosts are not available.
    "dibs:maintenance:get": _ANY_READER,
    "dibs:maintenance:update": _SYSTEM_ADMIN,
    "baremetal:driver:get": _SYSTEM_READER,
    "baremetal:driver:get_properties": _SYSTEM_READER,
    "baremetal:conductor:get": _SYSTEM_READER,
}


def listed_projects(access: Access, noun: str, asked: str | None = None) -> VisibleProjects:
    """Return the projects whose nodes, ports or allocations (``noun``) a list shows the caller.

    Raise Forbidden when the caller may not list at all, or asks for a project that it may not see.
    """
    everything = f"baremetal:{noun}:list_all"
    if access.allows(everything, {}):
        return EVERY_PROJECT
    project = access.actor.project
    if not project or (asked and asked != project):
        raise Forbidden(resource=everything)
    access.require(f"baremetal:{noun}:list", {})
    return frozenset({project})


class MachinePolicy:
    """These rules, of which a site's policy file replaces some."""

    def __init__(self, policy_file: str | None = None) -> None:
        self._rules = RuleBook(RULES, policy_file)

    def access(self, actor: Actor) -> Access:
        """Bind a caller to these rules."""
        return Access(actor=actor, rules=self._rules)
