"""Find allocation candidates. A candidate is a hint: the claim is checked again when a client makes it."""

from dibs.access.access import Access
from dibs.candidates.model.candidate_query import CandidateQuery
from dibs.candidates.model.candidates import Candidates, CandidateSearch
from dibs.candidates.queries import provider_trees
from dibs.candidates.queries.prefilter import Prefilter, prefilter_for
from dibs.database.transaction import Transaction
from dibs.ledger.model.errors import NoSuchTrait, ResourceClassNotFound
from dibs.ledger.model.traits import STANDARD_TRAITS
from dibs.ledger.queries import resource_classes

NO_CANDIDATES = Candidates(candidates=(), providers=())
FIRST_PAGE_MIN = 16
PAGE_MAX = provider_trees.PAGE_MAX


def find_candidates(tx: Transaction, access: Access, now: int, query: CandidateQuery) -> Candidates:
    """Return every candidate, up to the limit; none when the query names a provider that does not exist."""
    _check_traits(tx, query)
    class_ids = _class_ids(tx, query)
    named = sorted({group.in_tree for group in query.groups if group.in_tree})
    roots = provider_trees.roots_of(tx, named)
    if len(class_ids) < len(query.class_names()) or len(roots) < len(named):
        return NO_CANDIDATES
    rooted = query.in_trees(roots)
    search = CandidateSearch(rooted, provider_trees.sharing_trees(tx))
    _search_trees(tx, search, prefilter_for(search.requirements(), rooted.root_traits, class_ids), rooted)
    return search.result()


def _check_traits(tx: Transaction, query: CandidateQuery) -> None:
    custom = sorted(query.trait_names() - STANDARD_TRAITS)
    unknown = set(custom) - provider_trees.known_traits(tx, custom)
    if unknown:
        raise NoSuchTrait(traits=", ".join(sorted(unknown)))


def _class_ids(tx: Transaction, query: CandidateQuery) -> dict[str, int]:
    """Return the row ids of the classes. A standard class that was never used has none, and no provider has it."""
    names = sorted(query.class_names())
    found = resource_classes.ids_of(tx, names)
    for name in names:
        if name not in found and not resource_classes.is_standard(name):
            raise ResourceClassNotFound(resource_class=name)
    return found


def _search_trees(tx: Transaction, search: CandidateSearch, prefilter: Prefilter, query: CandidateQuery) -> None:
    """Load and search all trees; with a limit, page by page until there are enough candidates.

    The first page has as many trees as the limit, because most trees that pass the prefilter have a candidate. If that
    is not enough, a large page follows, and then all other trees: at most three reads.
    """
    after = 0
    for count in _pages(query):
        trees = provider_trees.page_of_trees(tx, prefilter, after=after, count=count)
        search.search_trees(trees)
        if not search.missing or len(trees) < count:
            return
        after = trees[-1].root.id
    search.search_trees(provider_trees.matching_trees(tx, prefilter, after=after))


def _pages(query: CandidateQuery) -> tuple[int, ...]:
    """Return the sizes of the pages before the rest; a shuffled search needs all trees at once."""
    if query.limit is None or query.shuffle_seed is not None:
        return ()
    return min(max(FIRST_PAGE_MIN, query.limit), PAGE_MAX), PAGE_MAX
