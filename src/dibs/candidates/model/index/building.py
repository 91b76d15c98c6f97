"""Make trees from rows. Equal parts are the same object, so that a large fleet takes little memory."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from dibs.candidates.model.index.shapes import IndexedTree, Kind, Shape, Stock

Rows = Sequence[tuple[Any, ...]]


class StructureRows(Struct, frozen=True, kw_only=True):
    """The rows of whole trees."""

    members: Rows
    """Row id, uuid, row id of the parent, row id of the root; ordered by root, then by row id."""
    stocks: Rows
    """Row id of the provider, row id of the class, and the sizes; ordered by both."""
    class_names: Mapping[int, str]
    traits: Rows
    """Row id of the provider, and a trait; ordered by both."""
    aggregates: Rows


def build_trees(rows: StructureRows, known: Mapping[Shape, Shape] = MappingProxyType({})) -> Iterator[IndexedTree]:
    """Yield the trees in the order of their roots, with the known shapes where they are equal."""
    kinds = _Kinds(rows)
    shapes: dict[object, Shape] = {}
    for root_id, found in groupby(rows.members, key=itemgetter(3)):
        members = list(found)
        ids = tuple(member[0] for member in members)
        positions = {provider_id: position for position, provider_id in enumerate(ids)}
        parents = tuple(None if above is None else positions[above] for _, _, above, *_ in members)
        of_members = tuple(map(kinds.of, ids))
        key = (parents, *map(id, of_members))
        shape = shapes.get(key)
        if shape is None:
            new = Shape(of_members, parents)
            shape = shapes[key] = known.get(new, new)
        yield IndexedTree(root_id, ids, tuple(str(member[1]) for member in members), shape)


class _Kinds:
    """The kinds of providers in some rows."""

    def __init__(self, rows: StructureRows) -> None:
        self._kinds: dict[object, Kind] = {}
        self._stocks = self._stocks_of(rows)
        self._traits = _names_of(rows.traits)
        self._aggregates = _names_of(rows.aggregates)

    def of(self, provider_id: int) -> Kind:
        """Return the kind of a provider."""
        stocks = self._stocks.get(provider_id, ())
        traits, aggregates = self._traits.get(provider_id, ()), self._aggregates.get(provider_id, ())
        key = (tuple(map(id, stocks)), tuple(traits), tuple(aggregates))
        kind = self._kinds.get(key)
        if kind is None:
            kind = self._kinds[key] = Kind(tuple(stocks), frozenset(traits), frozenset(aggregates))
        return kind

    def _stocks_of(self, rows: StructureRows) -> Mapping[int, Sequence[Stock]]:
        known: dict[object, Stock] = {}
        found: dict[int, list[Stock]] = defaultdict(list)
        for provider_id, *sizes in rows.stocks:
            key = tuple(sizes)
            stock = known.get(key)
            if stock is None:
                stock = known[key] = Stock(sizes[0], rows.class_names[sizes[0]], *sizes[1:])
            found[provider_id].append(stock)
        return found


def _names_of(rows: Iterable[tuple[Any, ...]]) -> Mapping[int, Sequence[str]]:
    known: dict[str, str] = {}
    found: dict[int, list[str]] = defaultdict(list)
    for provider_id, name in rows:
        found[provider_id].append(known.setdefault(name, name))
    return found
