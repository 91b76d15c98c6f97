"""Keeps what leases were promised from everybody else, whatever door they come through.

Whoever asks has locked the provider, and whoever books or gives back a host locks it too: so either the booking is seen
here, or the claim is seen there.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from dibs.database.transaction import Transaction
from dibs.leases.model.host_access import GuardedHost, HostUse, Promise, check_hold, check_use
from dibs.leases.queries import promises as host_guards
from dibs.ledger.model.claims import Place, Wish
from dibs.ledger.queries import claim_views
from dibs.machines.model.nodes import Node


def check_wishes(
    tx: Transaction,
    wishes: Sequence[Wish],
    places: Mapping[tuple[str, str], Place],
    before: Mapping[str, Mapping[Place, int]],
) -> None:
    """Refuse wishes for hosts that leases keep; ``before`` says what each consumer has so far.

    What stays as it is on a host is nobody's business. What changes is, even if it only becomes less: an instance that
    gives back its reservation and keeps its processors would stay when the lease ends.
    """
    after = {wish.consumer: _amounts(wish, places) for wish in wishes}
    changed = [wish for wish in wishes if after[wish.consumer] != before[wish.consumer]]
    claimed = {place for wish in changed for place in (*after[wish.consumer], *before[wish.consumer])}
    concerned = host_guards.hosts_above(tx, sorted({place.provider_id for place in claimed}))
    if not concerned:
        return
    promises = host_guards.promises_on(tx, sorted({host.id for host in concerned.values()}))
    for wish in changed:
        for host in {concerned[place.provider_id] for place in after[wish.consumer] if place.provider_id in concerned}:
            has, had = (_on(host, amounts[wish.consumer], concerned) for amounts in (after, before))
            if has != had and not (host.node is not None and _providers(has) <= _providers(had)):
                check_use(host, promises[host.id], _use(host, wish, places, has))


def check_instance(tx: Transaction, node: Node, instance_uuid: str | None) -> None:
    """Refuse to let an instance have a locked node that is booked, unless it has it by right of the booking's lease."""
    for host, promises in _promised(tx, node):
        check_use(host, promises, _instance_use(tx, node, instance_uuid) if instance_uuid else HostUse())


def check_not_booked(tx: Transaction, node: Node) -> None:
    """Refuse to make something else of a locked node that is booked as what it is."""
    for host, promises in _promised(tx, node):
        check_use(host, promises, HostUse())


def check_hold_until(tx: Transaction, node: Node, until: int) -> None:
    """Refuse to hold a locked node until a moment at which it is booked."""
    for host, promises in _promised(tx, node):
        check_hold(host, promises, until)


def _promised(tx: Transaction, node: Node) -> Iterator[tuple[GuardedHost, list[Promise]]]:
    """The locked node as a host with what is promised of it; nothing when it is none, or nothing is."""
    host = host_guards.hosts_above(tx, [node.id]).get(node.id)
    if host is not None:
        promises = host_guards.promises_on(tx, [host.id])[host.id]
        if promises:
            yield host, promises


def _instance_use(tx: Transaction, node: Node, instance_uuid: str) -> HostUse:
    """An instance that the lease launched; or one that claimed the node in Placement before, as Nova does."""
    launched = host_guards.reservations_of_servers(tx, [instance_uuid]).get(instance_uuid)
    claims = claim_views.of_consumer(tx, instance_uuid)
    if all(claim["provider"] != node.uuid for claim in claims):
        return HostUse(reservation_id=launched)
    amounts = {claim["resource_class"]: claim["amount"] for claim in claims}
    return HostUse(projects=[claims[0]["project_id"]], reserved=amounts, taken=amounts, reservation_id=launched)


def _use(host: GuardedHost, wish: Wish, places: Mapping[tuple[str, str], Place], has: Mapping[Place, int]) -> HostUse:
    reserved, taken = Counter[str](), Counter[str]()
    for (_, name), place in places.items():
        sums = reserved if place.provider_id == host.reservation_provider_id else taken
        sums[name] += has.get(place, 0)
    return HostUse(projects=[wish.project_id], reserved=reserved, taken=taken)


def _amounts(wish: Wish, places: Mapping[tuple[str, str], Place]) -> dict[Place, int]:
    return {
        places[provider, name]: amount
        for provider, amounts in wish.resources.items()
        for name, amount in amounts.items()
    }


def _on(host: GuardedHost, amounts: Mapping[Place, int], concerned: Mapping[int, GuardedHost]) -> dict[Place, int]:
    return {place: amount for place, amount in amounts.items() if concerned.get(place.provider_id) == host}


def _providers(amounts: Iterable[Place]) -> set[int]:
    """A node has one unit: who has it can have no more of it."""
    return {place.provider_id for place in amounts}
