"""Who may see machines and ask for one, in every dialect that has them: Ironic's rule names and default checks.

One policy file decides for all these dialects, and so do these defaults, which are those of Ironic's secure RBAC.
"""

from collections.abc import Callable, Iterable, Mapping

from dibs.access.access import Access
from dibs.access.actor import Actor
from dibs.access.rules import RuleBook
from dibs.allocations.model.allocations import Allocation
from dibs.allocations.model.errors import AllocationNotFound
from dibs.errors import Forbidden
from dibs.machines.model.errors import NodeNotFound
from dibs.machines.model.nodes import Node

Guard = Callable[[Node], None]
AllocationGuard = Callable[[Allocation], None]


def any_of(*checks: str) -> str:
    """A check that holds when one of these does."""
    return " or ".join(f"({check})" for check in checks)


SYSTEM_SERVICE = "role:service and system_scope:all"
SYSTEM_MEMBER = "(role:member and system_scope:all) or rule:service_role"
SYSTEM_READER = f"(role:reader and system_scope:all) or ({SYSTEM_SERVICE}) or rule:service_role"
OF_OWNER = "project_id:%(node.owner)s"
OF_LESSEE = "project_id:%(node.lessee)s"
OF_EITHER = f"({OF_OWNER} or {OF_LESSEE})"
OWNER_SERVICE = f"role:service and {OF_OWNER}"
ANY_READER = "(role:reader) or (role:service)"
SYSTEM_OR_PROJECT_READER = any_of(SYSTEM_READER, f"role:reader and {OF_EITHER}", OWNER_SERVICE)
_OF_ALLOCATION = "project_id:%(allocation.owner)s"

DEFAULTS: Mapping[str, str] = {
    # Names that files often refer to.
    "admin_api": "role:admin or role:administrator",
    "is_admin": "rule:admin_api",
    "is_node_owner": OF_OWNER,
    "is_node_lessee": OF_LESSEE,
    "is_allocation_owner": _OF_ALLOCATION,
    "service_role": "role:service and project_name:%(config.service_project_name)s",
    "baremetal:node:get": SYSTEM_OR_PROJECT_READER,
    "baremetal:allocation:get": any_of(SYSTEM_READER, f"role:reader and {_OF_ALLOCATION}"),
    "baremetal:allocation:list": ANY_READER,
    "baremetal:allocation:list_all": SYSTEM_READER,
    "baremetal:allocation:create": any_of(SYSTEM_MEMBER, "role:member"),
    "baremetal:allocation:create_restricted": SYSTEM_MEMBER,
    "baremetal:allocation:delete": any_of(SYSTEM_MEMBER, f"role:member and {_OF_ALLOCATION}"),
    "baremetal:allocation:update": any_of(SYSTEM_MEMBER, f"role:member and {_OF_ALLOCATION}"),
}


class MachinePolicy:
    """These rules, and those that a dialect adds."""

    def __init__(self, policy_file: str | None = None, more: Mapping[str, str] | None = None) -> None:
        self._rules = RuleBook({**DEFAULTS, **(more or {})}, policy_file)

    def access(self, actor: Actor) -> Access:
        """Bind a caller to these rules."""
        return Access(actor=actor, rules=self._rules)

    def allows(self, rule: str, actor: Actor, owner: str | None = None, lessee: str | None = None) -> bool:
        """True when the rule lets the actor do this to a node with this owner and lessee."""
        # A node without an owner must not match a caller without a project, so what is absent stays absent.
        asked = {"node.owner": owner, "node.lessee": lessee}
        return self._rules.allows(rule, actor, {name: project for name, project in asked.items() if project})

    def require(self, rule: str, actor: Actor) -> None:
        """Refuse an actor who may not do this at all."""
        if not self.allows(rule, actor):
            raise Forbidden(resource=rule)

    def require_on_node(self, rules: Iterable[str], actor: Actor, node: Node) -> None:
        """Refuse an actor who may not do all of this to the node."""
        for rule in rules:
            if not self.allows(rule, actor, node.owner, node.lessee):
                raise Forbidden(resource=rule)

    def guard(self, actor: Actor, ident: str, *rules: str) -> Guard:
        """What a use case calls with the node: 404 for one that the actor may not see, 403 for what it may not do."""

        def check(node: Node) -> None:
            if not self.allows("baremetal:node:get", actor, node.owner, node.lessee):
                raise NodeNotFound(node=ident)
            self.require_on_node(rules, actor, node)

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

    def allocation_guard(self, actor: Actor, ident: str, *rules: str) -> AllocationGuard:
        """What a use case calls with an allocation: 404 for one that the actor may not see, else 403."""

        def check(allocation: Allocation) -> None:
            target = {"allocation.owner": allocation.owner} if allocation.owner else {}
            if not self._rules.allows("baremetal:allocation:get", actor, target):
                raise AllocationNotFound(allocation=ident)
            for rule in rules:
                if not self._rules.allows(rule, actor, target):
                    raise Forbidden(resource=rule)

        return check

    def owner_of_new_allocation(self, actor: Actor, asked: str | None) -> str | None:
        """Whose nodes an allocation of this actor may have: those of its project, unless it speaks for the system.

        Quirk not copied: without ``enforce_new_defaults`` Ironic lets a project's member ask for everybody's nodes.
        """
        self.require("baremetal:allocation:create", actor)
        if self.allows("baremetal:allocation:create_restricted", actor):
            return asked if actor.system_scope else asked or actor.project
        if not actor.project or asked not in (None, actor.project):
            raise Forbidden(resource="baremetal:allocation:create_restricted")
        return actor.project
