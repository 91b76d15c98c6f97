"""Check a caller's rights to claims and usages.

The rule names are Placement's (``dibs.access.placement_policy``). An operation that reads or changes what projects have
checks its rule here, so that no entrance can reach the data of a project without a policy that grants it.
"""

from dibs.access.access import Access

LIST_CLAIMS = "placement:allocations:list"
UPDATE_CLAIMS = "placement:allocations:update"
MANAGE_CLAIMS = "placement:allocations:manage"
"""The claims of many consumers in one request."""
DELETE_CLAIMS = "placement:allocations:delete"
LIST_CLAIMS_ON_PROVIDER = "placement:resource_providers:allocations:list"
SHOW_PROVIDER_USAGE = "placement:resource_providers:usages"
SHOW_PROJECT_USAGE = "placement:usages"
LIST_CANDIDATES = "placement:allocation_candidates:list"
RESHAPE = "placement:reshaper:reshape"


def require(access: Access, rule: str, project: str | None = None) -> None:
    """Raise Forbidden unless the caller may do this to the objects of a project, by default those of its own.

    Quirk: Placement checks claims against the caller's own project, not against the consumer's. A rule that compares
    projects therefore restricts usages only.
    """
    actor = access.actor
    access.require(rule, {"project_id": actor.project if project is None else project, "user_id": actor.user})
