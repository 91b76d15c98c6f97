"""What is copied from Placement, in order."""

from dibs.importing import custom_traits, resource_classes
from dibs.importing.claims import ClaimCopier
from dibs.importing.providers import ProviderCopier, list_parents_first
from dibs.importing.report import Report
from dibs.importing.service import Json, Service, Unreachable

OLDEST = (1, 28)
"""The first version that tells the generation of a consumer."""
_BLAZARS_PREFIX = "blazar_"


def copy_placement(there: Service, here: Service, machines: Service, report: Report) -> None:
    """Names first, then providers with what they have, then who has claimed it."""
    if there.version is None or there.version < OLDEST:
        raise Unreachable(f"{there.url} is too old: Placement {'.'.join(map(str, OLDEST))} or later is needed.")
    resource_classes.copy_all(there, here, report)
    custom_traits.copy_all(there, here, report)
    providers = [each for each in list_parents_first(there) if not _is_blazars(each, report)]
    ProviderCopier(there, here, machines, report).copy_all(providers)
    ClaimCopier(there, here, report).copy_all(providers)


def _is_blazars(provider: Json, report: Report) -> bool:
    """True for what Blazar puts below each of its hosts; where Dibs has the leases, it makes its own."""
    found = provider["parent_provider_uuid"] is not None and provider["name"].startswith(_BLAZARS_PREFIX)
    if found:
        report.left_out("provider", provider["uuid"], provider["name"], "`dibs import blazar` makes it with its host")
    return found
