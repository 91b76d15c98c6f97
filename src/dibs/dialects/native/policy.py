"""Who may do what: the rules of the bare-metal API for allocations, so that one policy file decides for both."""

from collections.abc import Callable, Mapping

from dibs.domain.actor import Actor
from dibs.domain.errors import Forbidden, NodeNotFound, NodeRequestNotFound
from dibs.domain.node_requests import NodeRequest
from dibs.domain.nodes import Node
from dibs.http.policy import RuleBook

_SERVICE = "(role:service and system_scope:all) or rule:service_role"
_SYSTEM_MEMBER = "(role:member and system_scope:all) or rule:service_role"
_SYSTEM_READER = f"(role:reader and system_scope:all) or {_SERVICE}"
_OF_ALLOCATION = "project_id:%(allocation.owner)s"
_OF_NODE = "(project_id:%(node.owner)s or project_id:%(node.lessee)s)"

DEFAULTS: Mapping[str, str] = {
    "service_role": "role:service and project_name:%(config.service_project_name)s",
    "is_allocation_owner": _OF_ALLOCATION,
    "baremetal:node:get": f"{_SYSTEM_READER} or (role:reader and {_OF_NODE})",
    "baremetal:allocation:get": f"{_SYSTEM_READER} or (role:reader and {_OF_ALLOCATION})",
    "baremetal:allocation:list": "role:reader or role:service",
    "baremetal:allocation:list_all": _SYSTEM_READER,
    "baremetal:allocation:create": f"{_SYSTEM_MEMBER} or role:member",
    "baremetal:allocation:create_restricted": _SYSTEM_MEMBER,
    "baremetal:allocation:update": f"{_SYSTEM_MEMBER} or (role:member and {_OF_ALLOCATION})",
}

UPDATE = "baremetal:allocation:update"


class Policy:
    """The rules, asked in the words of this dialect."""

    def __init__(self, policy_file: str | None = None) -> None:
        self._rules = RuleBook(DEFAULTS, policy_file)

    def owner_of_new_request(self, actor: Actor, asked: str | None) -> str | None:
        """Whose nodes a request of this actor may have: those of its project, unless it speaks for the system."""
        self._require("baremetal:allocation:create", actor)
        if self._rules.allows("baremetal:allocation:create_restricted", actor, {}):
            return asked if actor.system_scope else asked or actor.project
        if not actor.project or asked not in (None, actor.project):
            raise Forbidden(resource="baremetal:allocation:create_restricted")
        return actor.project

    def visible_project(self, actor: Actor) -> str | None:
        """The project that a list is restricted to; None when the actor sees everything."""
        if self._rules.allows("baremetal:allocation:list_all", actor, {}):
            return None
        if not actor.project:
            raise Forbidden(resource="baremetal:allocation:list_all")
        self._require("baremetal:allocation:list", actor)
        return actor.project

    def request_guard(self, actor: Actor, ident: str, *rules: str) -> Callable[[NodeRequest], None]:
        """What a use case calls with a request: 404 for one that the actor may not see, 403 for what it may not do."""

        def check(request: NodeRequest) -> None:
            target = {"allocation.owner": request.owner} if request.owner else {}
            if not self._rules.allows("baremetal:allocation:get", actor, target):
                raise NodeRequestNotFound(request=ident)
            for rule in rules:
                if not self._rules.allows(rule, actor, target):
                    raise Forbidden(resource=rule)

        return check

    def node_guard(self, actor: Actor) -> Callable[[Node], None]:
        """What a use case calls with a candidate: 404 for one that the actor may not see."""

        def check(node: Node) -> None:
            projects = {"node.owner": node.owner, "node.lessee": node.lessee}
            target = {name: project for name, project in projects.items() if project}
            if not self._rules.allows("baremetal:node:get", actor, target):
                raise NodeNotFound(node=node.uuid)

        return check

    def _require(self, rule: str, actor: Actor) -> None:
        if not self._rules.allows(rule, actor, {}):
            raise Forbidden(resource=rule)
