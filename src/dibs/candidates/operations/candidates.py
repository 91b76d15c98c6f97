"""Find allocation candidates. A candidate is a hint: the claim is checked again when a client makes it."""

from dibs.access.access import Access
from dibs.candidates.model.candidate_query import CandidateQuery
from dibs.candidates.model.candidates import Candidates, CandidateSearch
from dibs.candidates.queries import provider_trees
from dibs.candidates.queries.prefilter import Prefilter, prefilter_for
from dibs.database.transaction import Transaction
from dibs.ledger.operations.resource_classes import require_classes
from dibs.ledger.operations.traits import require_traits

NO_CANDIDATES = Candidates(candidates=(), providers=())
FIRST_PAGE_MIN = 16
"""The smallest first page, in trees."""
PAGE_MAX = provider_trees.PAGE_MAX


def find_candidates(tx: Transaction, access: Access, now: int, query: CandidateQuery) -> Candidates:
    """Return every candidate, up to the limit; none when the query names a provider that does not exist."""
    require_traits(tx, query.trait_names())
    class_ids = require_classes(tx, query.class_names())
    named = sorted({group.in_tree for group in query.groups if group.in_tree})
    roots = provider_trees.roots_of(tx, named)
    # A standard class that was never used has no row, and no provider has it.
    if len(class_ids) < len(query.class_names()) or len(roots) < len(named):
        return NO_CANDIDATES
    rooted = query.in_trees(roots)
    search = CandidateSearch(rooted, provider_trees.sharing_trees(tx))
    _search_trees(tx, search, prefilter_for(search.requirements(), rooted.root_traits, class_ids), rooted)
    return search.result()


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
