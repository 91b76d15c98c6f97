"""Explain which condition of a query leaves no allocation candidates."""

from dibs.access.access import Access
from dibs.candidates.model.candidate_query import CandidateQuery
from dibs.candidates.model.funnel import Funnel
from dibs.candidates.queries.roots import roots_of
from dibs.candidates.queries.structure import current_structure
from dibs.candidates.queries.usage import read_usage
from dibs.database.transaction import Transaction
from dibs.ledger.operations.resource_classes import require_classes
from dibs.ledger.operations.traits import require_traits


def explain_candidates(tx: Transaction, access: Access, now: int, query: CandidateQuery) -> Funnel:
    """Count the trees that remain after each condition. A read; what is used is read in one statement."""
    structure = current_structure(tx)
    if traits := query.trait_names() - structure.of_trait.keys():
        require_traits(tx, traits)
    if classes := query.class_names() - structure.of_class.keys():
        require_classes(tx, classes)
    named = sorted({group.in_tree for group in query.groups if group.in_tree})
    roots = roots_of(tx, named)
    # A provider that does not exist is in no tree.
    rooted = query.in_trees({uuid: roots[uuid][1] if uuid in roots else uuid for uuid in named})
    funnel = Funnel(structure, {root_id for root_id, _ in roots.values()})
    funnel.narrow(rooted)
    if funnel.complete:
        funnel.keep_free(rooted, read_usage(tx, funnel.provider_ids()))
    return funnel
