"""Refuse changes of a provider or node that would break what leases were promised of it as a host.

The caller has locked the provider. An operation that books a host locks it too and reads it once more, so either the
change sees the booking, or the booking sees the change.
"""

from collections.abc import Callable, Sequence

from dibs.database.transaction import Transaction
from dibs.leases.model.hosts import Host, HostDetails
from dibs.leases.model.matching.promises import check_promises
from dibs.leases.model.matching.requirements import comparisons_of
from dibs.leases.queries import hosts, promises


def check_change(tx: Transaction, provider_ids: Sequence[int], changed: Callable[[Host], Host]) -> None:
    """Raise LeaseConflict when a change of hosts breaks a promise; ``changed`` returns a host after the change."""
    host_ids = sorted(promises.host_ids_of(tx, sorted(provider_ids)).values())
    if not host_ids:
        return
    promised = promises.on_hosts(tx, host_ids)
    named = {
        requirement.trait
        for of_host in promised.values()
        for promise in of_host
        for requirement in comparisons_of(promise.requirements)
        if requirement.trait is not None
    }
    for host in hosts.some(tx, host_ids, HostDetails(traits=frozenset(named))):
        check_promises(host, changed(host), promised[host.id])
