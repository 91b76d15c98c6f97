"""Keeps what leases were promised from everybody else, whatever door they come through.

Whoever asks has locked the provider, and whoever books or gives back a host locks it too: so either the booking is seen
here, or the claim is seen there.
"""

from collections.abc import Iterator, Mapping, Sequence, Set

from dibs.domain.claims import Place, Wish
from dibs.domain.host_rules import GuardedHost, HostUse, Promise, check_hold, check_use
from dibs.domain.nodes import Node
from dibs.store import host_guards
from dibs.store.transaction import Transaction


def check_wishes(
    tx: Transaction, wishes: Sequence[Wish], places: Mapping[tuple[str, str], Place], new: Mapping[str, Set[int]]
) -> None:
    """Refuse wishes for hosts that leases keep; ``new`` has the providers that each consumer did not use before."""
    concerned = host_guards.hosts_above(tx, sorted({provider for found in new.values() for provider in found}))
    if not concerned:
        return
    promises = host_guards.promises_on(tx, sorted({host.id for host in concerned.values()}))
    launched = host_guards.reservations_of_servers(tx, sorted(new))
    for wish in wishes:
        for host in {concerned[provider] for provider in new[wish.consumer] & concerned.keys()}:
            use = HostUse(
                projects=[wish.project_id],
                reservation_classes=_classes_at(host.reservation_provider_id, wish, places),
                reservation_id=launched.get(wish.consumer),
            )
            check_use(host, promises[host.id], use)


def check_instance(tx: Transaction, node: Node, instance_uuid: str | None) -> None:
    """Refuse to let an instance have a locked node that is booked, unless the booking's lease launched it."""
    for host, promises in _promised(tx, node):
        launched = host_guards.reservations_of_servers(tx, [instance_uuid] if instance_uuid else [])
        check_use(host, promises, HostUse(reservation_id=launched.get(instance_uuid or "")))


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


def _classes_at(provider_id: int, wish: Wish, places: Mapping[tuple[str, str], Place]) -> set[str]:
    return {
        name
        for provider, amounts in wish.resources.items()
        for name in amounts
        if places[provider, name].provider_id == provider_id
    }
