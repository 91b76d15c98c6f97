"""The only writer of claims: who has which machine, and how much of it.

Every way in locks before it looks, checks everything, and then writes. Who replaces claims locks the consumers and then
the providers; who works on one node has locked that node's provider already. Two that want the same thing meet at the
first lock that they share, and the second then sees what the first did; two that come from both sides may lock each
other out, which the engine notices, and one of them is run again.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from dibs.database.transaction import Transaction
from dibs.leases.operations import guards as host_guards
from dibs.ledger.model.claims import Place, Wish, check_amounts, check_consumer_generation, require_inventories
from dibs.ledger.model.errors import ClaimedProviderNotFound, NoSuchInventory, NothingClaimed, ResourceClassNotFound
from dibs.ledger.queries import claim_views, claims, consumers, inventories, providers, resource_classes
from dibs.ledger.queries.consumers import Consumer
from dibs.machines.model.errors import InstanceOfAnother, NodeAssociated, NodeClaimed
from dibs.machines.model.nodes import Node
from dibs.machines.queries import holds, nodes


class _Held(NamedTuple):
    consumer_id: int
    place: Place
    amount: int


def replace_claims(tx: Transaction, now: int, wishes: Sequence[Wish]) -> None:
    """Let every consumer have what its wish says instead of what it had: all of them, or none."""
    known = consumers.lock(tx, [wish.consumer for wish in wishes], now)
    for wish in wishes:
        current = known.get(wish.consumer)
        check_consumer_generation(wish, current.generation if current else None)
    held = _held(tx, known.values())
    named = _named_places(tx, wishes)
    _lock_providers(tx, now, wishes, known, held, named)
    stock = inventories.at(tx, sorted({place.provider_id for place in named.values()}))
    require_inventories(stock, ((place, provider, name) for (provider, name), place in named.items()))
    host_guards.check_wishes(tx, wishes, named, _before(wishes, known, held))
    wanted = [
        (wish, named[provider, name], amount)
        for wish in wishes
        for provider, amounts in wish.resources.items()
        for name, amount in amounts.items()
    ]
    freed = _sums((each.place, each.amount) for each in held)
    taken = _sums((place, amount) for _, place, amount in wanted)
    check_amounts(stock, ((place, amount) for _, place, amount in wanted), freed)
    owners = _write_consumers(tx, now, wishes, known)
    staying = {(owners[wish.consumer], place.provider_id) for wish, place, _ in wanted}
    left = [each for each in held if (each.consumer_id, each.place.provider_id) not in staying]
    _check_not_carried(tx, known.values(), left)
    _end_holds(tx, left)
    claims.remove(tx, sorted({each.consumer_id for each in held}))
    claims.add(tx, [(owners[wish.consumer], place, amount) for wish, place, amount in wanted], now)
    taken.subtract(freed)
    claims.add_to_used(tx, taken)
    consumers.delete(tx, [known[wish.consumer].id for wish in wishes if wish.consumer in known and not wish.resources])


def release_all(tx: Transaction, now: int, consumer: str) -> None:
    """Take everything back from a consumer, whatever its generation."""
    known = consumers.lock(tx, [consumer], now)
    held = _held(tx, known.values())
    if not held:
        raise NothingClaimed(consumer=consumer)
    providers.lock_many(tx, moved=(), touched=sorted({each.place.provider_id for each in held}), now=now)
    _check_not_carried(tx, known.values(), held)
    _give_back(tx, held)
    consumers.delete(tx, [known[consumer].id])


def associate(tx: Transaction, now: int, node: Node, instance_uuid: str) -> None:
    """Give a locked node's unit to an instance.

    - The node offers no unit (it has no resource class): nothing is claimed, the association alone holds it.
    - The instance has claimed the unit already, as Nova does through Placement before it calls: nothing to do.
    - Somebody else has claimed it, or a lease has booked it that did not launch the instance: refused.
    - Otherwise it is claimed, even while the node is reserved because it cannot be deployed: an operator who adopts a
      machine that already runs something says just that.
    """
    host_guards.check_instance(tx, node, instance_uuid)
    if node.inventory_class is None:
        return
    if not _check_holder(tx, node, instance_uuid):
        known = consumers.lock(tx, [instance_uuid], now).get(instance_uuid)
        _claim_unit(tx, now, node, instance_uuid, known, node.lessee or node.owner)


def claim_for_hold(
    tx: Transaction, now: int, node: Node, instance_uuid: str, project: str | None, *, for_any_project: bool
) -> None:
    """Keep the unit of a locked node that nobody has claimed for an instance that is to come.

    An instance that has claims already belongs to somebody. A stranger must not add to them: it would move the
    generation under its owner's hands, fill its owner's quota, and have its machine counted as the owner's.
    """
    known = consumers.lock(tx, [instance_uuid], now).get(instance_uuid)
    if known is not None and known.project_id != project and not for_any_project:
        raise InstanceOfAnother(instance=instance_uuid)
    if node.inventory_class is not None:
        _claim_unit(tx, now, node, instance_uuid, known, project)


def check_holder(tx: Transaction, node: Node) -> None:
    """Refuse to deploy a locked node that somebody else has claimed or booked."""
    host_guards.check_instance(tx, node, node.instance_uuid)
    _check_holder(tx, node, node.instance_uuid)


def release(tx: Transaction, now: int, node: Node) -> None:
    """Take a locked node's unit back from the instance that has it; what the instance has elsewhere it keeps."""
    if node.instance_uuid is not None:
        release_from(tx, now, node, node.instance_uuid)


def release_from(tx: Transaction, now: int, node: Node, consumer: str) -> None:
    """Take a locked node's unit back from a consumer; what that has elsewhere it keeps."""
    known = consumers.lock(tx, [consumer], now)
    held = _held(tx, known.values())
    here = [each for each in held if each.place.provider_id == node.id]
    if here:
        claims.remove_from(tx, here[0].consumer_id, node.id)
        claims.add_to_used(tx, {each.place: -each.amount for each in here})
    if here and len(here) == len(held):
        consumers.delete(tx, [here[0].consumer_id])
    elif here:
        consumers.move_generation(tx, here[0].consumer_id)


def _claim_unit(
    tx: Transaction, now: int, node: Node, consumer: str, known: Consumer | None, project: str | None
) -> None:
    """``known`` is the consumer, locked; None when there was none, and one that comes now is met when it is made."""
    if known is not None:
        owner = known.id
        consumers.move_generation(tx, owner)
    else:
        description = {"project_id": project, "user_id": None, "consumer_type": None}
        owner = consumers.create(tx, {consumer: description}, now)[consumer]
    place = next(iter(inventories.at(tx, [node.id])))
    claims.add(tx, [(owner, place, 1)], now)
    claims.add_to_used(tx, {place: 1})


def _check_holder(tx: Transaction, node: Node, instance_uuid: str | None) -> bool:
    """True when the instance has claimed the node already; refuses when another consumer has."""
    holders = {claim["consumer"] for claim in claim_views.on_provider(tx, node.id)}
    if holders - {instance_uuid}:
        raise NodeClaimed(node=node.uuid, consumer=", ".join(sorted(holders)))
    return bool(holders)


def _held(tx: Transaction, owners: Iterable[Consumer]) -> list[_Held]:
    """What locked consumers have. Nobody can change it now, so it may be read before the providers are locked."""
    return [_Held(*each) for each in claims.held_by(tx, sorted(owner.id for owner in owners))]


def _named_places(tx: Transaction, wishes: Sequence[Wish]) -> dict[tuple[str, str], Place]:
    """The row numbers for every provider and class that the wishes name."""
    named = {(provider, name) for wish in wishes for provider, amounts in wish.resources.items() for name in amounts}
    provider_ids = providers.ids_of(tx, sorted({provider for provider, _ in named}))
    for provider, _ in sorted(named):
        if provider not in provider_ids:
            raise ClaimedProviderNotFound(provider=provider)
    class_ids = resource_classes.ids_of(tx, sorted({name for _, name in named}))
    for provider, name in sorted(named):
        if name not in class_ids:
            known = resource_classes.is_standard(name)
            raise (
                NoSuchInventory(resource_class=name, provider=provider)
                if known
                else ResourceClassNotFound(resource_class=name)
            )
    return {(provider, name): Place(provider_ids[provider], class_ids[name]) for provider, name in named}


def _lock_providers(
    tx: Transaction,
    now: int,
    wishes: Sequence[Wish],
    known: Mapping[str, Consumer],
    held: Iterable[_Held],
    named: Mapping[tuple[str, str], Place],
) -> None:
    """Lock every provider that gains or loses a claim.

    Quirk: the generation moves where something new is claimed, and where a consumer gives everything back, but not
    where a consumer merely leaves for another provider (recorded from Placement 16.0.0).
    """
    leaving = {known[wish.consumer].id for wish in wishes if wish.consumer in known and not wish.resources}
    moved = {place.provider_id for place in named.values()}
    moved |= {each.place.provider_id for each in held if each.consumer_id in leaving}
    touched = {each.place.provider_id for each in held} - moved
    providers.lock_many(tx, moved=sorted(moved), touched=sorted(touched), now=now)


def _before(
    wishes: Sequence[Wish], known: Mapping[str, Consumer], held: Iterable[_Held]
) -> dict[str, dict[Place, int]]:
    """What each consumer has so far."""
    found: dict[int, dict[Place, int]] = defaultdict(dict)
    for each in held:
        found[each.consumer_id][each.place] = each.amount
    return {wish.consumer: found[known[wish.consumer].id] if wish.consumer in known else {} for wish in wishes}


def _write_consumers(
    tx: Transaction, now: int, wishes: Sequence[Wish], known: Mapping[str, Consumer]
) -> dict[str, int]:
    """Make new consumers and describe old ones anew; gives the row number of each that has a wish."""
    staying = [wish for wish in wishes if wish.resources]
    new = {wish.consumer: _description(wish, None) for wish in staying if wish.consumer not in known}
    changed = {
        known[wish.consumer].id: _description(wish, known[wish.consumer].consumer_type)
        for wish in staying
        if wish.consumer in known
    }
    consumers.change(tx, changed)
    return {uuid: owner.id for uuid, owner in known.items()} | consumers.create(tx, new, now)


def _description(wish: Wish, consumer_type: str | None) -> dict[str, str | None]:
    return {
        "project_id": wish.project_id,
        "user_id": wish.user_id,
        "consumer_type": wish.consumer_type or consumer_type,
    }


def _check_not_carried(tx: Transaction, owners: Iterable[Consumer], left: Sequence[_Held]) -> None:
    """Refuse to give back the unit of a node that still carries the instance: somebody else could claim a machine that
    runs. Whoever takes the instance off the node gives its unit back."""
    carried = nodes.instances_on(tx, sorted({each.place.provider_id for each in left}))
    names = {owner.id: owner.uuid for owner in owners}
    for each in left:
        node, instance = carried.get(each.place.provider_id, ("", None))
        if instance == names[each.consumer_id]:
            raise NodeAssociated(node=node, instance=instance)


def _end_holds(tx: Transaction, left: Iterable[_Held]) -> None:
    """A hold is the claim that it made: whoever gives that back has no hold on the node any more.

    A held node has no other claim than its hold's, so the provider alone tells which hold it is.
    """
    holds.remove_from(tx, sorted({each.place.provider_id for each in left}))


def _give_back(tx: Transaction, held: Sequence[_Held]) -> None:
    _end_holds(tx, held)
    claims.remove(tx, sorted({each.consumer_id for each in held}))
    claims.add_to_used(tx, _sums((each.place, -each.amount) for each in held))


def _sums(amounts: Iterable[tuple[Place, int]]) -> Counter[Place]:
    sums = Counter[Place]()
    for place, amount in amounts:
        sums[place] += amount
    return sums
