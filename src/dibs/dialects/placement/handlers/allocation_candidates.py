"""GET /allocation_candidates: parse the query, search, render."""

from random import getrandbits

from msgspec.structs import replace

from dibs.candidates.model.candidate_query import CandidateQuery
from dibs.candidates.operations.candidates import find_candidates
from dibs.dialects.placement.errors import refusal_of
from dibs.dialects.placement.exchange import CandidateRules, Exchange, json_answer
from dibs.dialects.placement.handlers.candidate_encoding import TREES_SINCE, encode_candidates
from dibs.dialects.placement.handlers.candidate_query import PARAMETERS, read_query
from dibs.http.messages import Response
from dibs.ledger.model.errors import ResourceClassNotFound

QUERY = PARAMETERS
"""The parameters of the newest version, for the routing table."""


def list_candidates(exchange: Exchange) -> Response:
    """GET /allocation_candidates"""
    query = read_query(exchange.query, exchange.minor, nested=exchange.minor >= TREES_SINCE)
    query = _with_rules(query, exchange.services.candidates)
    try:
        found = exchange.read(find_candidates, query)
    except ResourceClassNotFound as error:
        raise refusal_of(error, "Invalid resource class in resources parameter: ") from None
    return json_answer(exchange, encode_candidates(exchange.minor, query, found), modified=exchange.now())


def _with_rules(query: CandidateQuery, rules: CandidateRules) -> CandidateQuery:
    """Return the query with what the operator decided. The maximum counts like a lower limit of the client."""
    limits = [limit for limit in (query.limit, rules.count_max) if limit is not None]
    return replace(
        query,
        limit=min(limits, default=None),
        breadth_first=rules.breadth_first,
        shuffle_seed=getrandbits(32) if rules.randomize else None,
    )
