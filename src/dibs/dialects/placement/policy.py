"""Who may do what: Placement's rule names with its default checks.

An existing policy.yaml for Placement carries over. The older defaults let an admin do what the new ones keep for
services: the reshaper, and nothing else.
"""

from collections.abc import Mapping

from dibs.access.access import Access
from dibs.access.actor import Actor
from dibs.access.rules import RuleBook
from dibs.dialects.placement.errors import Refusal

_ADMIN_OR_SERVICE = "rule:admin_or_service_api"

_ROLES: Mapping[str, str] = {
    "admin_api": "role:admin",
    "service_api": "role:service",
    "admin_or_service_api": "role:admin or role:service",
    "project_reader_api": "role:reader and project_id:%(project_id)s",
    "admin_or_project_reader_or_service_api": "role:admin or rule:project_reader_api or role:service",
}
"""The rules that the others refer to."""

_OLDER_ROLES: Mapping[str, str] = {**_ROLES, "service_api": "role:service or role:admin"}

RULES: Mapping[str, str] = {
    "placement:resource_providers:list": _ADMIN_OR_SERVICE,
    "placement:resource_providers:create": _ADMIN_OR_SERVICE,
    "placement:resource_providers:show": _ADMIN_OR_SERVICE,
    "placement:resource_providers:update": _ADMIN_OR_SERVICE,
    "placement:resource_providers:delete": _ADMIN_OR_SERVICE,
    "placement:resource_providers:inventories:list": _ADMIN_OR_SERVICE,
    "placement:resource_providers:inventories:create": _ADMIN_OR_SERVICE,
    "placement:resource_providers:inventories:show": _ADMIN_OR_SERVICE,
    "placement:resource_providers:inventories:update": _ADMIN_OR_SERVICE,
    "placement:resource_providers:inventories:delete": _ADMIN_OR_SERVICE,
    "placement:resource_providers:aggregates:list": _ADMIN_OR_SERVICE,
    "placement:resource_providers:aggregates:update": _ADMIN_OR_SERVICE,
    "placement:resource_providers:traits:list": _ADMIN_OR_SERVICE,
    "placement:resource_providers:traits:update": _ADMIN_OR_SERVICE,
    "placement:resource_providers:traits:delete": _ADMIN_OR_SERVICE,
    "placement:resource_providers:usages": _ADMIN_OR_SERVICE,
    "placement:resource_providers:allocations:list": _ADMIN_OR_SERVICE,
    "placement:resource_classes:list": _ADMIN_OR_SERVICE,
    "placement:resource_classes:create": _ADMIN_OR_SERVICE,
    "placement:resource_classes:show": _ADMIN_OR_SERVICE,
    "placement:resource_classes:update": _ADMIN_OR_SERVICE,
    "placement:resource_classes:delete": _ADMIN_OR_SERVICE,
    "placement:traits:list": _ADMIN_OR_SERVICE,
    "placement:traits:show": _ADMIN_OR_SERVICE,
    "placement:traits:update": _ADMIN_OR_SERVICE,
    "placement:traits:delete": _ADMIN_OR_SERVICE,
    "placement:allocations:manage": _ADMIN_OR_SERVICE,
    "placement:allocations:list": _ADMIN_OR_SERVICE,
    "placement:allocations:update": _ADMIN_OR_SERVICE,
    "placement:allocations:delete": _ADMIN_OR_SERVICE,
    "placement:allocation_candidates:list": _ADMIN_OR_SERVICE,
    "placement:usages": "rule:admin_or_project_reader_or_service_api",
    "placement:reshaper:reshape": "rule:service_api",
}


class Policy:
    """The rules of this dialect, asked in its own words."""

    def __init__(
        self, policy_file: str | None = None, *, legacy_rules: bool = False, enforce_scope: bool = False
    ) -> None:
        roles = _OLDER_ROLES if legacy_rules else _ROLES
        self._rules = RuleBook({**roles, **RULES}, policy_file)
        self._enforce_scope = enforce_scope

    def access(self, actor: Actor) -> Access:
        """Bind a caller to these rules."""
        return Access(actor=actor, rules=self._rules)

    def require(self, rule: str, actor: Actor, project: str | None = None) -> None:
        """Refuse an actor who may not do this; ``project`` is whose things are asked for."""
        target = {"project_id": actor.project if project is None else project, "user_id": actor.user}
        wrong_scope = self._enforce_scope and actor.system_scope
        if wrong_scope or not self._rules.allows(rule, actor, target):
            raise Refusal(403, f"Policy does not allow {rule} to be performed.")
