"""Find allocation candidates. A candidate is a hint: the claim is checked again when a client makes it."""

from collections.abc import Iterable

from dibs.access.access import Access
from dibs.candidates.model.candidate_query import CandidateQuery
from dibs.candidates.model.candidates import Candidates, CandidateSearch
from dibs.candidates.model.index.structure import Structure
from dibs.candidates.model.matching import Planned
from dibs.candidates.queries.roots import roots_of
from dibs.candidates.queries.structure import current_structure, known_structure
from dibs.candidates.queries.usage import read_usage, read_usage_with_versions
from dibs.database.transaction import Transaction
from dibs.ledger.operations.resource_classes import require_classes
from dibs.ledger.operations.traits import require_traits

NO_CANDIDATES = Candidates()
FIRST_PAGE_MIN = 16
"""The smallest first page, in trees."""
PAGE_MAX = 1_024


def find_known_candidates(tx: Transaction, access: Access, now: int, query: CandidateQuery) -> Candidates | None:
    """Return what ``find_candidates`` returns; None when that must read more than what is used.

    The structure that the process knows is compared in the statement that reads what is used. With one statement the
    search needs no transaction.
    """
    structure = known_structure(tx)
    if structure is None or any(group.in_tree for group in query.groups):
        return None
    if not (query.trait_names() <= structure.of_trait.keys() and query.class_names() <= structure.of_class.keys()):
        return None
    search = CandidateSearch(query, structure)
    first, *others = _pages(query)
    trees = search.next_trees(first)
    versions, usage = read_usage_with_versions(tx, _provider_ids(trees), structure.size)
    if versions != structure.sum_of_versions:
        return None
    search.search(trees, usage)
    if search.missing != 0 and first is not None and len(trees) == first:
        _search_trees(tx, search, others, structure.size)
    return search.result()


def find_candidates(tx: Transaction, access: Access, now: int, query: CandidateQuery) -> Candidates:
    """Return every candidate, up to the limit; none when the query names a provider that does not exist."""
    structure = current_structure(tx)
    if not _has_every_name(tx, structure, query):
        return NO_CANDIDATES
    named = sorted({group.in_tree for group in query.groups if group.in_tree})
    roots = roots_of(tx, named)
    if len(roots) < len(named):
        return NO_CANDIDATES
    rooted = query.in_trees({uuid: root for uuid, (_, root) in roots.items()})
    search = CandidateSearch(rooted, structure, {root_id for root_id, _ in roots.values()})
    _search_trees(tx, search, _pages(rooted), structure.size)
    return search.result()


def _has_every_name(tx: Transaction, structure: Structure, query: CandidateQuery) -> bool:
    """Return False when no provider has a class of the query; raise for a trait or class that does not exist."""
    if traits := query.trait_names() - structure.of_trait.keys():
        require_traits(tx, traits)
    if classes := query.class_names() - structure.of_class.keys():
        require_classes(tx, classes)
    return not classes


def _search_trees(tx: Transaction, search: CandidateSearch, pages: Iterable[int | None], known: int) -> None:
    """Read what is used of trees and search them, page by page until there are enough candidates."""
    for count in pages:
        trees = search.next_trees(count)
        search.search(trees, read_usage(tx, _provider_ids(trees), known))
        if search.missing == 0 or count is None or len(trees) < count:
            return


def _pages(query: CandidateQuery) -> tuple[int | None, ...]:
    """Return how many trees are read and searched together; None: all that are left.

    The first page has as many trees as the limit, because most trees have a candidate. If that is not enough, a large
    page follows, and then all other trees: at most three reads.
    """
    if query.limit is None:
        return (None,)
    return min(max(FIRST_PAGE_MIN, query.limit), PAGE_MAX), PAGE_MAX, None


def _provider_ids(trees: Iterable[Planned]) -> set[int]:
    """Return the row ids of all members of trees, and of the trees that share with them."""
    found: set[int] = set()
    for tree, plan in trees:
        found.update(tree.ids)
        for other, _ in plan.others:
            found.update(other.ids)
    return found
