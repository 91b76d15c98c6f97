"""What is copied from Placement, in order."""

from dibs.importing import custom_traits, resource_classes
from dibs.importing.claims import ClaimCopier
from dibs.importing.providers import ProviderCopier, list_parents_first
from dibs.importing.report import Report
from dibs.importing.service import Service, Unreachable

OLDEST = (1, 28)
"""The first version that tells the generation of a consumer."""


def copy_placement(there: Service, here: Service, machines: Service, report: Report) -> None:
    """Names first, then providers with what they have, then who has claimed it."""
    if there.version is None or there.version < OLDEST:
        raise Unreachable(f"{there.url} speaks Placement up to {there.version}; {OLDEST} is needed.")
    resource_classes.copy_all(there, here, report)
    custom_traits.copy_all(there, here, report)
    providers = list_parents_first(there)
    ProviderCopier(there, here, machines, report).copy_all(providers)
    ClaimCopier(there, here, report).copy_all(providers)
