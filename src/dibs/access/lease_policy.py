"""Who may lease, and see hosts, in every dialect that has leases: Blazar's rule names with its default checks.

One policy file decides for all these dialects, and an existing policy.yaml for Blazar carries over.
"""

from collections.abc import Callable, Mapping

from dibs.access.access import Access
from dibs.access.actor import Actor
from dibs.access.rules import RuleBook
from dibs.errors import Forbidden
from dibs.leases.model.leases import Lease

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
    """These rules."""

    def __init__(self, policy_file: str | None = None) -> None:
        self._rules = RuleBook(RULES, policy_file)

    def access(self, actor: Actor) -> Access:
        """Bind a caller to these rules."""
        return Access(actor=actor, rules=self._rules)

    def require(self, rule: str, actor: Actor) -> None:
        """Refuse an actor who may not do this to anything of its own project."""
        self._check(rule, actor, actor.project)

    def sees_all(self, actor: Actor) -> bool:
        """True for those who see the leases of every project, and what is private."""
        return self._rules.allows("admin", actor, {})

    def lease_guard(self, rule: str, actor: Actor) -> Callable[[Lease], None]:
        """What a use case calls with a lease. Quirk: one of another project is refused (403), not hidden."""

        def check(lease: Lease) -> None:
            self._check(rule, actor, lease.project_id)

        return check

    def _check(self, rule: str, actor: Actor, project: str | None) -> None:
        # A target without a project matches nobody's: rules compare text, and None would be the word "None".
        target = {} if project is None else {"project_id": project}
        if not self._rules.allows(rule, actor, target):
            raise Forbidden(resource=rule)
