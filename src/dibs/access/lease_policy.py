"""The policy of leases and hosts: Blazar's rule names with its default checks.

One policy file decides for every dialect that has leases, and an existing policy.yaml of Blazar carries over.
``dibs.leases.model.access`` checks these rules on leases.
"""

from collections.abc import Mapping

from dibs.access.access import Access
from dibs.access.actor import Actor
from dibs.access.rules import RuleBook

_ADMIN = "rule:admin"
_MEMBER = "rule:project_member_or_admin"
_READER = "rule:project_reader_or_admin"

RULES: Mapping[str, str] = {
    "admin": "is_admin:True or role:admin",
    "admin_or_owner": "rule:admin or project_id:%(project_id)s",
    "project_member_api": "role:member and project_id:%(project_id)s",
    "project_reader_api": "role:reader and project_id:%(project_id)s",
    "project_member_or_admin": "rule:project_member_api or rule:admin",
    "project_reader_or_admin": "rule:project_reader_api or rule:admin",
    "blazar:leases:get": _READER,
    "blazar:leases:post": _MEMBER,
    "blazar:leases:put": _MEMBER,
    "blazar:leases:delete": _MEMBER,
    "blazar:oshosts:get": _ADMIN,
    "blazar:oshosts:post": _ADMIN,
    "blazar:oshosts:put": _ADMIN,
    "blazar:oshosts:delete": _ADMIN,
    "blazar:oshosts:get_allocations": _ADMIN,
    "blazar:oshosts:get_resource_properties": _ADMIN,
    "blazar:oshosts:patch_resource_properties": _ADMIN,
    "blazar:floatingips:get": _READER,
    "blazar:floatingips:post": _ADMIN,
    "blazar:floatingips:delete": _ADMIN,
}


class LeasePolicy:
    """The default rules, overridden by a policy file."""

    def __init__(self, policy_file: str | None = None) -> None:
        self._rules = RuleBook(RULES, policy_file)

    def access(self, actor: Actor) -> Access:
        """Bind a caller to these rules."""
        return Access(actor=actor, rules=self._rules)
