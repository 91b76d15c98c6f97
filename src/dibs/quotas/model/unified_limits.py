"""Unified limits: the quotas of projects as Keystone keeps them.

A registered limit is the default of every project, and a limit of a project replaces it. The name of the resource is
that of a limit of Dibs, for all classes together (``nodes``) or for one class (``nodes:gold``).
"""

from collections import defaultdict
from collections.abc import Mapping

from msgspec import Struct

from dibs.quotas.model.quotas import CLASSES_MAX, NO_LIMITS, Limits, Quota

NO_LIMIT = -1
"""What Keystone has for a resource without a limit."""


class UnifiedLimits(Struct, frozen=True, kw_only=True):
    """The limits of one service, by the name of the resource."""

    defaults: Mapping[str, int]
    projects: Mapping[str, Mapping[str, int]]
    """The limits that replace the defaults, by project."""

    def quota_of(self, project: str) -> Quota:
        """Return the limits of a project; none for names that are no limit of Dibs."""
        by_class: dict[str, dict[str, int]] = defaultdict(dict)
        for resource, limit in {**self.defaults, **self.projects.get(project, {})}.items():
            name, _, resource_class = resource.partition(":")
            if name in Limits.__struct_fields__ and limit != NO_LIMIT:
                by_class[resource_class][name] = limit
        limits = {name: Limits(**by_class[name]) for name in sorted(by_class)[:CLASSES_MAX]}
        return Quota(project=project, limits={name: each for name, each in limits.items() if each != NO_LIMITS})
