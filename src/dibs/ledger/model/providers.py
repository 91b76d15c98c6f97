"""Resource providers, alone or in trees."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from dibs.ledger.model.criteria import ANYTHING, Criteria
from dibs.ledger.model.errors import ProviderGenerationConflict


class Provider(Struct, frozen=True, kw_only=True, gc=False):
    """One resource provider and its position in its tree."""

    id: int
    uuid: str
    name: str
    generation: int
    parent_id: int | None
    root_id: int
    parent: str | None
    """The uuid of its parent."""
    root: str
    """The uuid of the root of its tree, often its own."""
    created_at: int
    updated_at: int | None

    @property
    def changed_at(self) -> int:
        """The time of the last change, or of the creation."""
        return self.updated_at or self.created_at


ListedProvider = tuple[str, str, int, str | None, str | None, int]
"""What a list shows of a provider: uuid, name, generation, the uuids of its parent and of its root, and the time of its
last change. A root has neither parent nor root. A plain tuple, because a list has thousands of them.
"""


class ProviderQuery(Struct, frozen=True, kw_only=True):
    """The filters of a list of providers; a provider must match all of them."""

    name: str | None = None
    uuid: str | None = None
    in_tree: str | None = None
    """The uuid of a provider; matches every provider of its tree."""
    resources: Mapping[str, int] = field(default_factory=dict)
    """Amounts by resource class, each of which the provider must have free."""
    traits: Criteria = ANYTHING
    aggregates: Criteria = ANYTHING


def check_generation(provider: Provider, sent: int | None) -> None:
    """Raise when the client read an older generation of the provider; None when the client sent no generation."""
    if sent is not None and sent != provider.generation:
        raise ProviderGenerationConflict(provider=provider.uuid, current=provider.generation, sent=sent)


def subtree(top: int, parents: Iterable[tuple[int, int | None]]) -> set[int]:
    """Return the row ids of a provider and its descendants; ``parents`` pairs providers with their parents."""
    children = defaultdict(list)
    for child, parent in parents:
        children[parent].append(child)
    found, waiting = {top}, [top]
    while waiting:
        below = children[waiting.pop()]
        found.update(below)
        waiting.extend(below)
    return found
