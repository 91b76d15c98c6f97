"""Reshaping: move inventory between providers together with the claims on it, in one transaction."""

from dataclasses import dataclass, replace

from dibs.domain.actor import Actor
from dibs.domain.claims import Wish
from dibs.store.transaction import Transaction
from dibs.usecases import booking
from dibs.usecases.inventories import SetInventories, set_inventories
from dibs.usecases.providers import lock_provider


@dataclass(frozen=True, slots=True, kw_only=True)
class Reshape:
    """What providers have from now on, and what consumers have of them."""

    inventories: tuple[SetInventories, ...]
    wishes: tuple[Wish, ...]


def reshape(tx: Transaction, actor: Actor, now: int, command: Reshape) -> None:
    """First add what is new, then move the claims, then take away what is no longer there: nothing hangs in the air."""
    for wanted in command.inventories:
        lock_provider(tx, now, wanted.provider, wanted.generation)
    checked = [replace(wanted, generation=None) for wanted in command.inventories]
    for wanted in checked:
        if wanted.sizes:
            set_inventories(tx, actor, now, replace(wanted, keep_others=True))
    booking.replace_claims(tx, now, command.wishes)
    for wanted in checked:
        set_inventories(tx, actor, now, wanted)
