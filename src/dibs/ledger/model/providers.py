"""Providers: whatever has something to give, alone or in trees."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from dibs.ledger.model.criteria import ANYTHING, Criteria
from dibs.ledger.model.errors import ProviderGenerationConflict


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """One provider and its place in its tree."""

    id: int
    uuid: str
    name: str
    generation: int
    parent_id: int | None
    root_id: int
    parent: str | None
    """The uuid of the provider above it."""
    root: str
    """The uuid of the provider at the top of its tree, often itself."""
    created_at: int
    updated_at: int | None

    @property
    def changed_at(self) -> int:
        """When it was last changed, or made."""
        return self.updated_at or self.created_at


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderQuery:
    """Which providers a list shows: those of which all of this holds."""

    name: str | None = None
    uuid: str | None = None
    in_tree: str | None = None
    """The uuid of a provider: everything in its tree."""
    resources: Mapping[str, int] = field(default_factory=dict)
    """Amounts by class, each of which must fit now."""
    traits: Criteria = ANYTHING
    aggregates: Criteria = ANYTHING


def check_generation(provider: Provider, sent: int | None) -> None:
    """Refuse a change that was made from an old look at the provider; None: the caller does not say what it saw."""
    if sent is not None and sent != provider.generation:
        raise ProviderGenerationConflict(provider=provider.uuid, current=provider.generation, sent=sent)


def subtree(top: int, parents: Iterable[tuple[int, int | None]]) -> set[int]:
    """A provider and all below it, by row numbers; ``parents`` has each provider of the tree with the one above it."""
    children = defaultdict(list)
    for child, parent in parents:
        children[parent].append(child)
    found, waiting = {top}, [top]
    while waiting:
        below = children[waiting.pop()]
        found.update(below)
        waiting.extend(below)
    return found
