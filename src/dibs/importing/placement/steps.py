"""The steps of an import from Placement."""

from dibs.importing.placement.claims import ClaimCopier
from dibs.importing.placement.providers import ProviderCopier, list_parents_first
from dibs.importing.placement.resource_classes import copy_resource_classes
from dibs.importing.placement.traits import copy_traits
from dibs.importing.report import Report
from dibs.importing.service import Json, Service, Unreachable

OLDEST = (1, 28)
"""The first version with consumer generations."""
_BLAZAR_PREFIX = "blazar_"


def copy_placement(source: Service, target: Service, machines: Service, report: Report) -> None:
    """Copy resource classes and traits, then providers with their inventories, then the claims on them."""
    if source.version is None or source.version < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise Unreachable(f"{source.url} is too old: the import needs Placement {oldest} or later.")
    copy_resource_classes(source, target, report)
    copy_traits(source, target, report)
    providers = [each for each in list_parents_first(source) if not _is_of_blazar(each, report)]
    ProviderCopier(source, target, machines, report).copy_all(providers)
    ClaimCopier(source, target, report).copy_all(providers)


def _is_of_blazar(provider: Json, report: Report) -> bool:
    """Return True for a reservation provider of Blazar below one of its hosts. Dibs creates its own with the leases."""
    found = provider["parent_provider_uuid"] is not None and provider["name"].startswith(_BLAZAR_PREFIX)
    if found:
        reason = "`dibs import blazar` creates it with its host"
        report.left_out("provider", provider["uuid"], provider["name"], reason)
    return found
