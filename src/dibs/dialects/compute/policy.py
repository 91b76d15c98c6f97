"""Who may do what: Nova's rule names with its default checks, for the operations that Dibs has.

An existing policy.yaml for Nova carries over: rules in it that Dibs does not ask about are read and never used.
"""

from collections.abc import Callable, Mapping

from dibs.access.access import Access
from dibs.access.actor import Actor
from dibs.access.rules import RuleBook
from dibs.dialects.compute.errors import Refusal
from dibs.errors import Forbidden
from dibs.servers.model.errors import ServerNotFound
from dibs.servers.model.servers import Server

_ANYBODY = "@"
_ADMIN = "rule:context_is_admin"
_READER = "rule:project_reader_or_admin"
_MEMBER = "rule:project_member_or_admin"

_ROLES: Mapping[str, str] = {
    "context_is_admin": "role:admin",
    "admin_api": _ADMIN,
    "admin_or_owner": "rule:context_is_admin or project_id:%(project_id)s",
    "project_member_api": "role:member and project_id:%(project_id)s",
    "project_reader_api": "role:reader and project_id:%(project_id)s",
    "project_member_or_admin": "rule:project_member_api or rule:context_is_admin",
    "project_reader_or_admin": "rule:project_reader_api or rule:context_is_admin",
}
"""The rules that the others refer to."""

SHOW = "os_compute_api:servers:show"
ALL_PROJECTS = "os_compute_api:servers:index:get_all_tenants"
EXTENDED_ATTRIBUTES = "os_compute_api:os-extended-server-attributes"
HOST_STATUS = "os_compute_api:servers:show:host_status"
FORCED_HOST = "os_compute_api:servers:create:forced_host"
OTHER_LIMITS = "os_compute_api:limits:other_project"

RULES: Mapping[str, str] = {
    "os_compute_api:os-flavor-manage:create": _ADMIN,
    "os_compute_api:os-flavor-manage:update": _ADMIN,
    "os_compute_api:os-flavor-manage:delete": _ADMIN,
    "os_compute_api:os-flavor-access": _ADMIN,
    "os_compute_api:os-flavor-access:add_tenant_access": _ADMIN,
    "os_compute_api:os-flavor-access:remove_tenant_access": _ADMIN,
    "os_compute_api:os-flavor-extra-specs:index": _READER,
    "os_compute_api:os-flavor-extra-specs:show": _READER,
    "os_compute_api:os-flavor-extra-specs:create": _ADMIN,
    "os_compute_api:os-flavor-extra-specs:update": _ADMIN,
    "os_compute_api:os-flavor-extra-specs:delete": _ADMIN,
    "os_compute_api:servers:index": _READER,
    "os_compute_api:servers:detail": _READER,
    ALL_PROJECTS: _ADMIN,
    "os_compute_api:servers:detail:get_all_tenants": _ADMIN,
    "os_compute_api:servers:allow_all_filters": _ADMIN,
    SHOW: _READER,
    HOST_STATUS: _ADMIN,
    "os_compute_api:servers:create": _MEMBER,
    FORCED_HOST: _ADMIN,
    "os_compute_api:servers:delete": _MEMBER,
    "os_compute_api:servers:update": _MEMBER,
    "os_compute_api:servers:reboot": _MEMBER,
    "os_compute_api:servers:start": _MEMBER,
    "os_compute_api:servers:stop": _MEMBER,
    "os_compute_api:server-metadata:index": _READER,
    "os_compute_api:server-metadata:show": _READER,
    "os_compute_api:server-metadata:create": _MEMBER,
    "os_compute_api:server-metadata:update_all": _MEMBER,
    "os_compute_api:server-metadata:update": _MEMBER,
    "os_compute_api:server-metadata:delete": _MEMBER,
    EXTENDED_ATTRIBUTES: _ADMIN,
    "os_compute_api:os-hypervisors:list": _ADMIN,
    "os_compute_api:os-hypervisors:list-detail": _ADMIN,
    "os_compute_api:os-hypervisors:show": _ADMIN,
    "os_compute_api:os-hypervisors:uptime": _ADMIN,
    "os_compute_api:os-hypervisors:search": _ADMIN,
    "os_compute_api:os-hypervisors:servers": _ADMIN,
    "os_compute_api:os-services:list": _ADMIN,
    "os_compute_api:os-services:update": _ADMIN,
    "os_compute_api:os-aggregates:index": _ADMIN,
    "os_compute_api:os-availability-zone:list": _ANYBODY,
    "os_compute_api:os-availability-zone:detail": _ADMIN,
    "os_compute_api:limits": _ANYBODY,
    OTHER_LIMITS: _ADMIN,
    "os_compute_api:extensions": _ANYBODY,
}


class Policy:
    """The rules, asked in the words of this dialect."""

    def __init__(self, policy_file: str | None = None) -> None:
        self._rules = RuleBook({**_ROLES, **RULES}, policy_file)

    def access(self, actor: Actor) -> Access:
        """Bind a caller to these rules."""
        return Access(actor=actor, rules=self._rules)

    def is_admin(self, actor: Actor) -> bool:
        """True for those who run the system."""
        return self._rules.allows("context_is_admin", actor, {})

    def allows(self, rule: str, actor: Actor, project: str | None = None) -> bool:
        """True when the rule lets the actor do this; ``project`` is whose thing it is, or the actor's own."""
        target = {"project_id": project or actor.project, "user_id": actor.user}
        return self._rules.allows(rule, actor, {name: value for name, value in target.items() if value})

    def require(self, rule: str, actor: Actor) -> None:
        """Refuse an actor who may not do this in its own project."""
        if not self.allows(rule, actor):
            raise Refusal(403, f"Policy doesn't allow {rule} to be performed.")

    def guard(self, actor: Actor, *rules: str) -> Callable[[Server], None]:
        """What a use case calls with a server: 404 for one that the actor may not see, 403 for what it may not do."""

        def check(server: Server) -> None:
            target = {"project_id": server.project_id} if server.project_id else {}
            if not self._rules.allows(SHOW, actor, target):
                raise ServerNotFound(server=server.uuid)
            for rule in rules:
                if not self._rules.allows(rule, actor, target):
                    raise Forbidden(resource=rule)

        return check
