"""The body of GET /allocation_candidates, written as text without a dictionary for each candidate and provider.

Candidates of equal trees differ in the uuids of providers only, so each way to supply the query is encoded once, as a
template. What equal providers have in common is encoded once too.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from operator import itemgetter
from typing import Any

import msgspec

from dibs.candidates.model.candidate_query import CandidateQuery
from dibs.candidates.model.candidates import Candidate, Candidates
from dibs.candidates.model.index.shapes import IndexedTree, Kind, Stock
from dibs.candidates.model.plans import Amounts, Combination
from dibs.candidates.model.usage import NOTHING

BY_PROVIDER_SINCE = 12
TRAITS_SINCE = 17
ALL_CLASSES_SINCE = 27
TREES_SINCE = 29
MAPPINGS_SINCE = 34

_GAP = '"%s"'
Template = tuple[str, Callable[[tuple[str, ...]], Any]]
"""A format, and what picks the uuids for its gaps from those of the providers."""
Starts = list[tuple[Stock, str]]
"""The inventories of equal providers, each with the beginning of its text, up to the used amount."""


def encode_candidates(minor: int, query: CandidateQuery, found: Candidates) -> msgspec.Raw:
    """Return the document in JSON."""
    requests = ",".join(_requests(minor, found.candidates))
    summaries = ",".join(_summaries(minor, query, found))
    return msgspec.Raw(f'{{"allocation_requests":[{requests}],"provider_summaries":{{{summaries}}}}}'.encode())


def _requests(minor: int, candidates: Collection[Candidate]) -> Iterator[str]:
    """Yield each candidate in the form in which PUT /allocations/{consumer} of the same version accepts it."""
    templates: dict[int, Template] = {}
    for candidate in candidates:
        way = candidate.combination
        found = templates.get(id(way))
        if found is None:
            found = templates[id(way)] = _template(minor, way)
        form, pick = found
        yield form % pick(candidate.uuids)


def _template(minor: int, way: Combination) -> Template:
    places = tuple(place for place, _ in way.supplies)
    if minor < BY_PROVIDER_SINCE:
        form = '{"resource_provider":{"uuid":"%%s"},"resources":%s}'
        supplies = _joined(form % _amounts(each) for _, each in way.supplies)
        return f'{{"allocations":[{supplies}]}}', itemgetter(*places)
    supplies = _joined(f'"%s":{{"resources":{_amounts(each)}}}' for _, each in way.supplies)
    if minor < MAPPINGS_SINCE:
        return f'{{"allocations":{{{supplies}}}}}', itemgetter(*places)
    mappings = _joined(f"{_text(suffix)}:[{_joined([_GAP] * len(of))}]" for suffix, of in way.mappings)
    mapped = tuple(place for _, of in way.mappings for place in of)
    return f'{{"allocations":{{{supplies}}},"mappings":{{{mappings}}}}}', itemgetter(*places, *mapped)


def _summaries(minor: int, query: CandidateQuery, found: Candidates) -> Iterator[str]:
    classes = None if minor >= ALL_CLASSES_SINCE else query.class_names()
    kinds: dict[int, tuple[Starts, str, str]] = {}
    for tree, position in found.shown:
        kind = tree.shape.kinds[position]
        known = kinds.get(id(kind))
        if known is None:
            starts = _starts(kind, classes)
            traits = _traits(kind) if minor >= TRAITS_SINCE else ""
            known = kinds[id(kind)] = (starts, _resources(starts, {}), traits)
        starts, resources, traits = known
        used = found.usage.get(tree.ids[position])
        if used is not None:
            resources = _resources(starts, used)
        place = _place(tree, position) if minor >= TREES_SINCE else ""
        yield f'"{tree.uuids[position]}":{{"resources":{{{resources}}}{traits}{place}}}'


def _starts(kind: Kind, classes: Collection[str] | None) -> Starts:
    """Return the inventories of a provider, or those of these classes only, as they begin when nothing is reserved."""
    return [(stock, _start(stock, 0)) for stock in kind.stocks if classes is None or stock.resource_class in classes]


def _start(stock: Stock, reserved: int) -> str:
    return f'{_text(stock.resource_class)}:{{"capacity":{int(stock.capacity(reserved))},"used":'


def _resources(starts: Starts, usage: Mapping[int, tuple[int, int]]) -> str:
    shown = []
    for stock, start in starts:
        used, reserved = usage.get(stock.class_id, NOTHING)
        shown.append(f"{_start(stock, reserved) if reserved else start}{used}}}")
    return ",".join(shown)


def _traits(kind: Kind) -> str:
    # Quirk: standard traits come first, as in Placement, whose test suite checks it.
    shown = sorted(kind.traits, key=lambda name: (name.startswith("CUSTOM_"), name))
    return f',"traits":{_text(shown)}'


def _place(tree: IndexedTree, position: int) -> str:
    parent = tree.parent_uuid(position)
    above = "null" if parent is None else f'"{parent}"'
    return f',"parent_provider_uuid":{above},"root_provider_uuid":"{tree.root_uuid}"'


def _amounts(amounts: Amounts) -> str:
    return f"{{{_joined(f'{_text(name)}:{amount}' for name, amount in amounts)}}}"


def _joined(parts: Collection[str] | Iterator[str]) -> str:
    return ",".join(parts)


def _text(value: Any) -> str:
    return msgspec.json.encode(value).decode()
