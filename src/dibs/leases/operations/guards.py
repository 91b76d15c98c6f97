"""Keep booked hosts for their leases, in whatever dialect a claim, hold or change is requested.

The operation that calls a guard has locked the provider, and an operation that books or releases a host locks it too.
So either the guard sees the booking, or the operation that books sees the claim.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from dibs.database.transaction import Duplicate, Transaction
from dibs.leases.model.errors import LeaseConflict, ProviderIsHost
from dibs.leases.model.host_access import GuardedBooking, GuardedHost, HostUse, check_hold, check_use
from dibs.leases.model.hosts import Host, reservation_provider_name
from dibs.leases.model.leases import reservation_of
from dibs.leases.operations.promises import check_change
from dibs.leases.operations.uses import uses
from dibs.leases.queries import guarded_hosts, hosts, quota_uses
from dibs.ledger.model.claims import ClaimRequest, InventoryKey
from dibs.ledger.model.errors import ProviderExists
from dibs.ledger.model.providers import Provider
from dibs.ledger.operations.guards import ClaimChange, InventoriesAfter, LedgerGuard
from dibs.ledger.queries import claim_views, providers
from dibs.machines.model.nodes import Node
from dibs.machines.operations.guards import NodeGuard
from dibs.quotas.model.uses import Use
from dibs.quotas.operations.sources import UsageSource


class LeaseLedgerGuard(LedgerGuard):
    """Keeps claims, providers and classes consistent with bookings."""

    def check_claims(self, tx: Transaction, change: ClaimChange) -> None:
        """Refuse claims on hosts that leases keep.

        A claim that stays as it is needs no check. A claim that changes does, even if it only shrinks: an instance that
        releases its reservation and keeps its processors would stay when the lease ends.
        """
        after = {request.consumer: _amounts(request, change.keys) for request in change.requests}
        changed = [request for request in change.requests if after[request.consumer] != change.before[request.consumer]]
        claimed = {key for request in changed for key in (*after[request.consumer], *change.before[request.consumer])}
        concerned = guarded_hosts.hosts_above(tx, sorted({key.provider_id for key in claimed}))
        if not concerned:
            return
        booked = guarded_hosts.bookings_on(tx, sorted({host.id for host in concerned.values()}))
        for request in changed:
            touched = {key.provider_id for key in after[request.consumer]} & concerned.keys()
            for host in {concerned[provider_id] for provider_id in touched}:
                has, had = (_on(host, amounts[request.consumer], concerned) for amounts in (after, change.before))
                if has != had and not (host.node is not None and _providers(has) <= _providers(had)):
                    check_use(host, booked[host.id], _use(host, request, change.keys, has))

    def check_offer(self, tx: Transaction, changed: Sequence[Provider]) -> None:
        """Refuse to change a provider on which leases offer the instances of a host."""
        offering = guarded_hosts.offered_by(tx, sorted(provider.id for provider in changed))
        for provider in changed:
            if provider.id in offering:
                raise ProviderIsHost(provider=provider.uuid, host=offering[provider.id])

    def check_removal(self, tx: Transaction, provider_id: int, uuid: str) -> None:
        """Refuse to remove or move the provider of a host."""
        host = guarded_hosts.host_of(tx, provider_id)
        if host is not None:
            raise ProviderIsHost(provider=uuid, host=host)

    def provider_renamed(self, tx: Transaction, provider_id: int, name: str) -> None:
        """Rename the host that the provider is, and the host's reservation provider."""
        child_id = hosts.rename(tx, provider_id, name)
        if child_id is not None:
            try:
                providers.rename(tx, child_id, reservation_provider_name(name))
            except Duplicate as error:
                raise ProviderExists(field="name", value=name) from error

    def check_inventories(self, tx: Transaction, after: InventoriesAfter) -> None:
        """Refuse inventories of the class of a reservation, which only its lease offers, and less than was booked."""
        names = {name for inventories in after.values() for name in inventories}
        reservations = {reservation: name for name in names if (reservation := reservation_of(name)) is not None}
        for reservation in sorted(guarded_hosts.live(tx, sorted(reservations))):
            raise LeaseConflict(
                reason=f"Resource class {reservations[reservation]} belongs to a reservation: only its lease offers it."
            )
        check_change(tx, list(after), lambda host: replace(host, inventories=after[host.provider_id]))

    def check_traits(self, tx: Transaction, provider_id: int, after: Collection[str]) -> None:
        """Refuse to remove or add traits against the requirements of leases."""
        check_change(tx, [provider_id], lambda host: replace(host, traits=frozenset(after)))

    def check_class_removal(self, tx: Transaction, name: str) -> None:
        """Refuse to rename or remove the class of a reservation that has not ended."""
        reservation = reservation_of(name)
        if reservation is not None and guarded_hosts.live(tx, [reservation]):
            raise LeaseConflict(reason=f"Resource class {name} belongs to a reservation and is removed with its lease.")


class LeaseUsage(UsageSource):
    """What leases book for projects, for their quotas."""

    def uses(self, tx: Transaction, now: int, projects: Sequence[str]) -> list[Use]:
        """See UsageSource."""
        return quota_uses.of_projects(tx, projects, now)


class LeaseNodeGuard(NodeGuard):
    """Keeps booked nodes for their leases."""

    def check_instances(self, tx: Transaction, instances: Sequence[tuple[Node, str | None]]) -> None:
        """Refuse an instance on a booked node, unless it belongs to the lease of the booking, or leaves before."""
        instance_of = {node.id: instance_uuid for node, instance_uuid in instances}
        for node, host, booked in _booked(tx, [node for node, _ in instances]):
            instance_uuid = instance_of[node.id]
            if instance_uuid == node.instance_uuid and node.instance_until is not None:
                check_hold(host, booked, node.instance_until)
            else:
                check_use(host, booked, _instance_use(tx, node, instance_uuid) if instance_uuid else HostUse())

    def check_hold(self, tx: Transaction, node: Node, until: int) -> None:
        """Refuse a hold that would last into a booking."""
        for _, host, booked in _booked(tx, [node]):
            check_hold(host, booked, until)

    def check_properties(self, tx: Transaction, node: Node, after: Node) -> None:
        """Refuse properties with which the node is smaller than leases require."""
        check_change(tx, [node.id], lambda host: _with_properties(host, after))

    def check_class_change(self, tx: Transaction, node: Node) -> None:
        """Refuse another class for a node that is booked with the class it has."""
        for _, host, booked in _booked(tx, [node]):
            check_use(host, booked, HostUse())


def _booked(tx: Transaction, nodes: Sequence[Node]) -> Iterator[tuple[Node, GuardedHost, list[GuardedBooking]]]:
    """Yield those of the locked nodes that are booked hosts, each with its bookings."""
    found = guarded_hosts.hosts_above(tx, [node.id for node in nodes])
    booked = guarded_hosts.bookings_on(tx, sorted({host.id for host in found.values()}))
    for node in nodes:
        host = found.get(node.id)
        if host is not None and booked[host.id]:
            yield node, host, booked[host.id]


def _instance_use(tx: Transaction, node: Node, instance_uuid: str) -> HostUse:
    """Return the use of a node by an instance: a server of the lease, or a consumer that claimed the node before."""
    launched = uses(tx).reservation_of(tx, instance_uuid)
    claims = claim_views.of_consumer(tx, instance_uuid)
    if all(claim["provider"] != node.uuid for claim in claims):
        return HostUse(reservation_id=launched)
    amounts = {claim["resource_class"]: claim["amount"] for claim in claims}
    taken = {claim["resource_class"]: claim["amount"] for claim in claims if claim["provider"] == node.uuid}
    return HostUse(projects=[claims[0]["project_id"]], reserved=amounts, taken=taken, reservation_id=launched)


def _with_properties(host: Host, node: Node) -> Host:
    """Return the host of a node with the properties that the node has after a change."""
    assert host.node is not None
    return replace(host, node=replace(host.node, properties=node.properties))


def _use(
    host: GuardedHost,
    request: ClaimRequest,
    keys: Mapping[tuple[str, str], InventoryKey],
    has: Mapping[InventoryKey, int],
) -> HostUse:
    reserved, taken = Counter[str](), Counter[str]()
    for (_, name), key in keys.items():
        sums = reserved if key.provider_id == host.reservation_provider_id else taken
        sums[name] += has.get(key, 0)
    return HostUse(projects=[request.project_id], reserved=reserved, taken=taken)


def _amounts(request: ClaimRequest, keys: Mapping[tuple[str, str], InventoryKey]) -> dict[InventoryKey, int]:
    return {
        keys[provider, name]: amount
        for provider, amounts in request.resources.items()
        for name, amount in amounts.items()
    }


def _on(
    host: GuardedHost, amounts: Mapping[InventoryKey, int], concerned: Mapping[int, GuardedHost]
) -> dict[InventoryKey, int]:
    return {key: amount for key, amount in amounts.items() if concerned.get(key.provider_id) == host}


def _providers(amounts: Iterable[InventoryKey]) -> set[int]:
    """Return the providers of amounts. A node has one unit, so a consumer that has it cannot claim more."""
    return {key.provider_id for key in amounts}
