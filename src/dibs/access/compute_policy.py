"""Nova's rule names with its default checks, for the operations that Dibs has.

An existing policy.yaml for Nova carries over: Dibs reads rules that it never checks, and ignores them.
"""

from collections.abc import Mapping

from dibs.access.access import Access
from dibs.access.actor import Actor
from dibs.access.rules import RuleBook

_EVERY_CALLER = "@"
_ADMIN = "rule:context_is_admin"
_READER = "rule:project_reader_or_admin"
_MEMBER = "rule:project_member_or_admin"

ADMIN = "context_is_admin"
SHOW_SERVER = "os_compute_api:servers:show"
LIST_EVERY_PROJECT = "os_compute_api:servers:index:get_all_tenants"
LIST_EVERY_PROJECT_IN_DETAIL = "os_compute_api:servers:detail:get_all_tenants"
EXTENDED_ATTRIBUTES = "os_compute_api:os-extended-server-attributes"
HOST_STATUS = "os_compute_api:servers:show:host_status"
ALL_FILTERS = "os_compute_api:servers:allow_all_filters"
FORCED_HOST = "os_compute_api:servers:create:forced_host"
OTHER_PROJECT_LIMITS = "os_compute_api:limits:other_project"

RULES: Mapping[str, str] = {
    # Rules that others refer to.
    ADMIN: "role:admin",
    "admin_api": _ADMIN,
    "admin_or_owner": "rule:context_is_admin or project_id:%(project_id)s",
    "project_member_api": "role:member and project_id:%(project_id)s",
    "project_reader_api": "role:reader and project_id:%(project_id)s",
    "project_member_or_admin": "rule:project_member_api or rule:context_is_admin",
    "project_reader_or_admin": "rule:project_reader_api or rule:context_is_admin",
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
    LIST_EVERY_PROJECT: _ADMIN,
    LIST_EVERY_PROJECT_IN_DETAIL: _ADMIN,
    ALL_FILTERS: _ADMIN,
    SHOW_SERVER: _READER,
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
    "os_compute_api:os-aggregates:show": _ADMIN,
    "os_compute_api:os-aggregates:create": _ADMIN,
    "os_compute_api:os-aggregates:update": _ADMIN,
    "os_compute_api:os-aggregates:delete": _ADMIN,
    "os_compute_api:os-aggregates:set_metadata": _ADMIN,
    "os_compute_api:os-availability-zone:list": _EVERY_CALLER,
    "os_compute_api:os-availability-zone:detail": _ADMIN,
    "os_compute_api:limits": _EVERY_CALLER,
    OTHER_PROJECT_LIMITS: _ADMIN,
    "os_compute_api:extensions": _EVERY_CALLER,
}


class ComputePolicy:
    """The rules of the compute API: the defaults, and a site's policy file on top of them."""

    def __init__(self, policy_file: str | None = None) -> None:
        self._rules = RuleBook(RULES, policy_file)

    def access(self, actor: Actor) -> Access:
        """Bind a caller to these rules."""
        return Access(actor=actor, rules=self._rules)

    def is_admin(self, actor: Actor) -> bool:
        """Return True when the caller administers the whole site."""
        return self._rules.allows(ADMIN, actor, {})
