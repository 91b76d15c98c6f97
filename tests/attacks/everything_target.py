"""A target with the rows of all others: nodes, providers, hosts, a lease, flavors and servers."""

from tests.attacks.apis import NATIVE, PLACEMENT
from tests.attacks.compute_api import COMPUTE
from tests.attacks.compute_target import ComputeTarget
from tests.attacks.lease_api import RESERVATION
from tests.attacks.lease_target import LeaseTarget
from tests.attacks.provider_target import ProviderTarget
from tests.attacks.strategies import VALID_ARGUMENTS
from tests.attacks.target import NODES

ARGUMENTS = {
    "/baremetal": {"node": NODES["available"], **VALID_ARGUMENTS},
    **{api.mount: api.arguments for api in (PLACEMENT, RESERVATION, COMPUTE, NATIVE)},
}
"""The objects of the target, by mount and name of the path parameter."""


class EverythingTarget(ProviderTarget, ComputeTarget, LeaseTarget):
    """Target for requests to every dialect; each class adds its rows to those of the next."""
