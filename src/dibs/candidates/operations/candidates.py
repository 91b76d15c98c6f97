"""Candidates: who could give what is asked for, now. A hint: whoever claims one is checked again."""

from dibs.access.access import Access
from dibs.candidates.model.candidate_query import CandidateQuery
from dibs.candidates.model.candidates import Candidates, CandidateSearch
from dibs.candidates.queries import provider_trees as store
from dibs.candidates.queries.narrowing import Narrowing, narrow
from dibs.database.transaction import Transaction
from dibs.ledger.model.errors import NoSuchTrait, ResourceClassNotFound
from dibs.ledger.model.traits import STANDARD_TRAITS
from dibs.ledger.queries import resource_classes

NOBODY = Candidates(candidates=(), providers=())
FIRST_PAGE_MIN = 16
PAGE_MAX = store.PAGE_MAX


def find_candidates(tx: Transaction, access: Access, now: int, query: CandidateQuery) -> Candidates:
    """Every candidate, or the first few; none when the question names a provider that does not exist."""
    _check_traits(tx, query)
    class_ids = _class_ids(tx, query)
    named = sorted({group.in_tree for group in query.groups if group.in_tree})
    roots = store.roots_of(tx, named)
    if len(class_ids) < len(query.class_names()) or len(roots) < len(named):
        return NOBODY
    rooted = query.in_trees(roots)
    search = CandidateSearch(rooted, store.sharing_trees(tx))
    _look_around(tx, search, narrow(search.needs(), rooted.root_traits, class_ids), rooted)
    return search.result()


def _check_traits(tx: Transaction, query: CandidateQuery) -> None:
    unusual = sorted(query.trait_names() - STANDARD_TRAITS)
    unknown = set(unusual) - store.known_traits(tx, unusual)
    if unknown:
        raise NoSuchTrait(traits=", ".join(sorted(unknown)))


def _class_ids(tx: Transaction, query: CandidateQuery) -> dict[str, int]:
    """Row numbers of the classes. A standard class that nobody ever used has none, and nobody has anything of it."""
    names = sorted(query.class_names())
    found = resource_classes.ids_of(tx, names)
    for name in names:
        if name not in found and not resource_classes.is_standard(name):
            raise ResourceClassNotFound(resource_class=name)
    return found


def _look_around(tx: Transaction, search: CandidateSearch, narrowing: Narrowing, query: CandidateQuery) -> None:
    """All trees at once; or, when a limit may make the first few enough, these first.

    The first page has as many trees as candidates are wanted, since most trees that the database gives have one at
    least. If they had not, a large page follows, and then all the rest, so that there are three reads at most.
    """
    after = 0
    for count in _pages(query):
        trees = store.page_of_trees(tx, narrowing, after=after, count=count)
        search.look_into(trees)
        if not search.wanted or len(trees) < count:
            return
        after = trees[-1].root.id
    search.look_into(store.matching_trees(tx, narrowing, after=after))


def _pages(query: CandidateQuery) -> tuple[int, ...]:
    """How many trees to read at a time before all the others; whoever shuffles them has to have them all."""
    if query.limit is None or query.shuffle_seed is not None:
        return ()
    return min(max(FIRST_PAGE_MIN, query.limit), PAGE_MAX), PAGE_MAX
