"""The only writer of claims.

Every function locks, then reads and checks, then writes. The providers are locked first and the consumers second, as by
every operation on a node (docs/adr/0010). The claims of a consumer decide which providers to lock. So they are read
before the locks and again under them; if they need another lock by then, the runner runs the transaction again.
``claim_units`` and ``release_provider`` expect that the caller has locked the provider.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from dibs.database.transaction import Again, Transaction
from dibs.ledger.model.claims import (
    ClaimRequest,
    InventoryKey,
    check_amounts,
    check_consumer_generation,
    require_inventories,
)
from dibs.ledger.model.errors import (
    ClaimedProviderNotFound,
    NoSuchInventory,
    NothingClaimed,
    ResourceClassNotFound,
)
from dibs.ledger.model.events import CAPACITY_FREED, Amounts, claim_events
from dibs.ledger.model.inventories import Inventory
from dibs.ledger.operations.guards import ClaimChange, ReleasedClaim, guards
from dibs.ledger.queries import claims, consumers, inventories, providers, resource_classes
from dibs.ledger.queries.claims import Held
from dibs.ledger.queries.consumers import Consumer


class _LockedProviders(NamedTuple):
    """The providers that were locked for requests, by what the consumers had claimed before the locks."""

    ids: frozenset[int]
    releasing: frozenset[str]
    """The consumers that release everything."""
    released: frozenset[tuple[str, int]]
    """Their claims: consumer and provider."""

    def require_all(self, owners: Iterable[Consumer], held: Iterable[Held]) -> None:
        """Run the transaction again when a concurrent one moved a consumer before this one had its locks."""
        uuids = {owner.id: owner.uuid for owner in owners}
        on = {(uuids[each.consumer_id], each.key.provider_id) for each in held}
        if {each for each in on if each[0] in self.releasing} != self.released:
            raise Again
        if not self.ids.issuperset(provider_id for _, provider_id in on):
            raise Again


class UnitClaim(NamedTuple):
    """The claim of a consumer on the one unit of a provider; a new consumer belongs to the project."""

    provider_id: int
    consumer: str
    project: str | None


def replace_claims(tx: Transaction, now: int, requests: Sequence[ClaimRequest]) -> None:
    """Replace the claims of every consumer by those of its request: all requests are granted, or none."""
    provider_ids = providers.ids_of(tx, sorted({provider for request in requests for provider in request.resources}))
    locked = _lock_providers(tx, now, requests, provider_ids)
    known = consumers.lock(tx, [request.consumer for request in requests], now)
    for request in requests:
        current = known.get(request.consumer)
        check_consumer_generation(request, current.generation if current else None)
    held = _held(tx, known.values())
    locked.require_all(known.values(), held)
    stock = inventories.of_providers(tx, sorted(provider_ids.values()))
    keys = _inventory_keys(tx, requests, provider_ids, stock)
    change = ClaimChange(requests=requests, keys=keys, before=_before(requests, known, held))
    for guard in guards(tx):
        guard.check_claims(tx, change)
    wanted = [
        (request, keys[provider, name], amount)
        for request in requests
        for provider, amounts in request.resources.items()
        for name, amount in amounts.items()
    ]
    freed = _sums((each.key, each.amount) for each in held)
    taken = _sums((key, amount) for _, key, amount in wanted)
    check_amounts(stock, ((key, amount) for _, key, amount in wanted), freed)
    owners = _write_consumers(tx, now, requests, known)
    staying = {(owners[request.consumer], key.provider_id) for request, key, _ in wanted}
    _release(tx, known.values(), [each for each in held if (each.consumer_id, each.key.provider_id) not in staying])
    claims.remove(tx, sorted({each.consumer_id for each in held}))
    claims.add(tx, [(owners[request.consumer], key, amount) for request, key, amount in wanted], now)
    taken.subtract(freed)
    _add_to_used(tx, taken)
    empty = [request for request in requests if request.consumer in known and not request.resources]
    consumers.delete(tx, [known[request.consumer].id for request in empty])
    by_owner: dict[str, list[Held]] = defaultdict(list)
    uuids = {owner.id: owner.uuid for owner in known.values()}
    for each in held:
        by_owner[uuids[each.consumer_id]].append(each)
    for request in requests:
        # A consumer that has claimed nothing may release everything; that is no change.
        if request.resources:
            _record(tx, request.consumer, request.project_id, by_owner[request.consumer], request.resources)
        elif request.consumer in known:
            _record(tx, request.consumer, known[request.consumer].project_id, by_owner[request.consumer])


def release_all(tx: Transaction, now: int, consumer: str) -> None:
    """Release every claim of a consumer; its generation is not checked."""
    locked = lock_claimed_providers(tx, now, [consumer])
    known = consumers.lock(tx, [consumer], now)
    held = _held(tx, known.values())
    if not held:
        raise NothingClaimed(consumer=consumer)
    if not locked.issuperset(each.key.provider_id for each in held):
        raise Again  # A concurrent transaction claimed more for the consumer before this one had its locks.
    _release(tx, known.values(), held)
    claims.remove(tx, sorted({each.consumer_id for each in held}))
    _add_to_used(tx, _sums((each.key, -each.amount) for each in held))
    consumers.delete(tx, [known[consumer].id])
    _record(tx, consumer, known[consumer].project_id, held)


def lock_claimed_providers(
    tx: Transaction, now: int, uuids: Sequence[str], others: Collection[int] = frozenset()
) -> set[int]:
    """Lock the providers on which consumers have claims, and other providers with them; return their row ids.

    An operation that releases the claims of several consumers calls this first, to lock all providers before the first
    consumer.
    """
    touched = {provider_id for _, provider_id in claims.providers_of(tx, uuids)}.union(others)
    providers.lock_many(tx, touched, now)
    return touched


def lock_consumers(tx: Transaction, now: int, uuids: Sequence[str]) -> dict[str, Consumer]:
    """Lock those consumers that exist and return them by uuid."""
    return consumers.lock(tx, uuids, now)


def claim_units(
    tx: Transaction,
    now: int,
    wanted: Sequence[UnitClaim],
    known: Mapping[str, Consumer],
    units: Mapping[InventoryKey, Inventory],
) -> None:
    """Claim the one unit of each locked provider for its consumer.

    ``known`` are the consumers that ``lock_consumers`` returned. ``units`` are the inventories of the providers, read
    under their locks. If another transaction creates the same consumer meanwhile, the unique key refuses this one and
    the runner runs it again.
    """
    consumers.bump_generation(tx, [known[each.consumer].id for each in wanted if each.consumer in known])
    new = {
        each.consumer: {"project_id": each.project, "user_id": None, "consumer_type": None}
        for each in wanted
        if each.consumer not in known
    }
    owners = {uuid: owner.id for uuid, owner in known.items()} | consumers.create(tx, new, now)
    keys = {key.provider_id: key for key in units}
    claims.add(tx, [(owners[each.consumer], keys[each.provider_id], 1) for each in wanted], now)
    _add_to_used(tx, {keys[each.provider_id]: 1 for each in wanted})
    for each in wanted:
        unit = units[keys[each.provider_id]]
        owned_by = known[each.consumer].project_id if each.consumer in known else each.project
        _record(tx, each.consumer, owned_by, (), {unit.provider: {unit.resource_class: 1}})


def release_provider(tx: Transaction, now: int, provider_id: int, consumer: str) -> None:
    """Release the claims of a consumer on a locked provider; its claims on other providers stay."""
    known = consumers.lock(tx, [consumer], now)
    held = _held(tx, known.values())
    here = [each for each in held if each.key.provider_id == provider_id]
    if here:
        claims.remove_from(tx, here[0].consumer_id, provider_id)
        _add_to_used(tx, {each.key: -each.amount for each in here})
        _record(tx, consumer, known[consumer].project_id, here)
    if here and len(here) == len(held):
        consumers.delete(tx, [here[0].consumer_id])
    elif here:
        consumers.bump_generation(tx, [here[0].consumer_id])


def _held(tx: Transaction, owners: Iterable[Consumer]) -> list[Held]:
    """Return the claims of locked consumers."""
    return claims.held_by(tx, sorted(owner.id for owner in owners))


def _inventory_keys(
    tx: Transaction,
    requests: Sequence[ClaimRequest],
    provider_ids: Mapping[str, int],
    stock: Mapping[InventoryKey, Inventory],
) -> dict[tuple[str, str], InventoryKey]:
    """Return the key of every inventory that the requests name, by provider uuid and class name."""
    named = {
        (provider, name) for request in requests for provider, amounts in request.resources.items() for name in amounts
    }
    present = {(inventory.provider, inventory.resource_class): key for key, inventory in stock.items()}
    if not named <= present.keys():
        _refuse_missing(tx, named, provider_ids, stock)
    return {each: present[each] for each in named}


def _refuse_missing(
    tx: Transaction,
    named: Collection[tuple[str, str]],
    provider_ids: Mapping[str, int],
    stock: Mapping[InventoryKey, Inventory],
) -> None:
    """Raise for the first provider, class or inventory that does not exist; in this order, as Placement does."""
    for provider, _ in sorted(named):
        if provider not in provider_ids:
            raise ClaimedProviderNotFound(provider=provider)
    class_ids = resource_classes.ids_of(tx, sorted({name for _, name in named}))
    for provider, name in sorted(named):
        if name not in class_ids:
            if resource_classes.is_standard(name):
                raise NoSuchInventory(resource_class=name, provider=provider)
            raise ResourceClassNotFound(resource_class=name)
    keys = {(provider, name): InventoryKey(provider_ids[provider], class_ids[name]) for provider, name in named}
    require_inventories(stock, ((key, provider, name) for (provider, name), key in keys.items()))


def _lock_providers(
    tx: Transaction, now: int, requests: Sequence[ClaimRequest], provider_ids: Mapping[str, int]
) -> _LockedProviders:
    """Lock every provider that gains or loses a claim.

    Quirk: the generation of a provider is incremented when a request names it, or when a consumer on it releases
    everything, but not when a consumer moves away to another provider (recorded from Placement 16.0.0).
    """
    releasing = {request.consumer for request in requests if not request.resources}
    present = claims.providers_of(tx, [request.consumer for request in requests])
    released = {(consumer, provider_id) for consumer, provider_id in present if consumer in releasing}
    changed = {*provider_ids.values(), *(provider_id for _, provider_id in released)}
    touched = changed | {provider_id for _, provider_id in present}
    providers.lock_many(tx, touched, now, bump=changed)
    return _LockedProviders(frozenset(touched), frozenset(releasing), frozenset(released))


def _before(
    requests: Sequence[ClaimRequest], known: Mapping[str, Consumer], held: Iterable[Held]
) -> dict[str, dict[InventoryKey, int]]:
    """Return the present claims of each requesting consumer."""
    found: dict[int, dict[InventoryKey, int]] = defaultdict(dict)
    for each in held:
        found[each.consumer_id][each.key] = each.amount
    return {
        request.consumer: found[known[request.consumer].id] if request.consumer in known else {} for request in requests
    }


def _write_consumers(
    tx: Transaction, now: int, requests: Sequence[ClaimRequest], known: Mapping[str, Consumer]
) -> dict[str, int]:
    """Create new consumers and update known ones; return the row id of each consumer that keeps claims."""
    staying = [request for request in requests if request.resources]
    new = {request.consumer: _description(request, None) for request in staying if request.consumer not in known}
    changed = {
        known[request.consumer].id: _description(request, known[request.consumer].consumer_type)
        for request in staying
        if request.consumer in known
    }
    consumers.change(tx, changed)
    return {uuid: owner.id for uuid, owner in known.items()} | consumers.create(tx, new, now)


def _description(request: ClaimRequest, consumer_type: str | None) -> dict[str, str | None]:
    return {
        "project_id": request.project_id,
        "user_id": request.user_id,
        "consumer_type": request.consumer_type or consumer_type,
    }


def _release(tx: Transaction, owners: Iterable[Consumer], released: Sequence[Held]) -> None:
    """Let the guards check the release of claims, then let them react to it."""
    uuids = {owner.id: owner.uuid for owner in owners}
    noted = [ReleasedClaim(consumer=uuids[each.consumer_id], provider_id=each.key.provider_id) for each in released]
    for guard in guards(tx):
        guard.check_release(tx, noted)
    for guard in guards(tx):
        guard.claims_released(tx, sorted({each.provider_id for each in noted}))


def _add_to_used(tx: Transaction, changes: Mapping[InventoryKey, int]) -> None:
    claims.add_to_used(tx, changes)
    if any(change < 0 for change in changes.values()):
        tx.publish(CAPACITY_FREED)


def _record(
    tx: Transaction, consumer: str, project: str | None, held: Iterable[Held], after: Amounts | None = None
) -> None:
    """Record the change of the claims of a consumer from what it held."""
    before: dict[str, dict[str, int]] = {}
    for each in held:
        before.setdefault(each.provider, {})[each.resource_class] = each.amount
    for event in claim_events(consumer, project, before, after or {}):
        tx.record(event)


def _sums(amounts: Iterable[tuple[InventoryKey, int]]) -> Counter[InventoryKey]:
    sums = Counter[InventoryKey]()
    for key, amount in amounts:
        sums[key] += amount
    return sums
