"""Rules for resource providers and claims: Placement's rule names with its default checks.

An existing policy.yaml for Placement carries over. The older defaults let an admin use the reshaper, which the new
defaults keep for services; nothing else differs.
"""

from collections.abc import Mapping

from dibs.access.access import Access, Rules, Target
from dibs.access.actor import Actor
from dibs.access.rules import RuleBook

_ADMIN_OR_SERVICE = "rule:admin_or_service_api"

_ROLES: Mapping[str, str] = {
    "admin_api": "role:admin",
    "service_api": "role:service",
    "admin_or_service_api": "role:admin or role:service",
    "project_reader_api": "role:reader and project_id:%(project_id)s",
    "admin_or_project_reader_or_service_api": "role:admin or rule:project_reader_api or role:service",
}
"""The rules to which the other rules refer."""

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


class PlacementPolicy:
    """The rules of a site."""

    def __init__(
        self, policy_file: str | None = None, *, legacy_rules: bool = False, enforce_scope: bool = False
    ) -> None:
        roles = _OLDER_ROLES if legacy_rules else _ROLES
        rules = RuleBook({**roles, **RULES}, policy_file)
        self._rules: Rules = _ProjectScope(rules) if enforce_scope else rules

    def access(self, actor: Actor) -> Access:
        """Bind a caller to these rules."""
        return Access(actor=actor, rules=self._rules)


class _ProjectScope:
    """Rules that grant nothing to a token of the system's scope (oslo.policy: ``enforce_scope``)."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules

    @property
    def calls_services(self) -> bool:
        return self._rules.calls_services

    def allows(self, rule: str, actor: Actor, target: Target) -> bool:
        return not actor.system_scope and self._rules.allows(rule, actor, target)
