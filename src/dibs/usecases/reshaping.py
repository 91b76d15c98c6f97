"""Reshaping: move inventory between providers together with the claims on it, in one transaction."""

from dataclasses import dataclass, replace

from dibs.domain.actor import Actor
from dibs.domain.claims import Wish
from dibs.store.transaction import Transaction
from dibs.usecases import booking
from dibs.usecases.inventories import SetInventories, set_inventories


@dataclass(frozen=True, slots=True, kw_only=True)
class Reshape:
    """What providers have from now on, and what consumers have of them."""

    inventories: tuple[SetInventories, ...]
    wishes: tuple[Wish, ...]


def reshape(tx: Transaction, actor: Actor, now: int, command: Reshape) -> None:
    """First add what is new, then move the claims, then take away what is no longer there: nothing hangs in the air."""
    for wanted in command.inventories:
        if wanted.sizes:
            set_inventories(tx, actor, now, replace(wanted, keep_others=True))
    booking.replace_claims(tx, now, command.wishes)
    for wanted in command.inventories:
        # Where the first step did nothing, the caller's generation has not been looked at yet.
        set_inventories(tx, actor, now, replace(wanted, generation=None) if wanted.sizes else wanted)
