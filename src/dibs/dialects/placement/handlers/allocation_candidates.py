"""GET /allocation_candidates: parse the query, search, render."""

from functools import lru_cache
from random import getrandbits

from msgspec.structs import replace

from dibs.candidates.model.candidate_query import CandidateQuery
from dibs.candidates.operations.candidates import find_candidates, find_known_candidates
from dibs.dialects.placement.errors import refusal_of
from dibs.dialects.placement.exchange import CandidateRules, Exchange, json_answer
from dibs.dialects.placement.handlers.candidate_encoding import TREES_SINCE, encode_candidates
from dibs.dialects.placement.handlers.candidate_query import PARAMETERS, read_query
from dibs.dialects.placement.query import Query
from dibs.http.messages import Response
from dibs.ledger.model.errors import ResourceClassNotFound

QUERY = PARAMETERS
"""The parameters of the newest version, for the routing table."""
QUERIES_KEPT = 256
"""Schedulers repeat a few queries, and to validate one costs more than to search."""


def list_candidates(exchange: Exchange) -> Response:
    """GET /allocation_candidates"""
    query = _with_rules(_read(exchange.request.query, exchange.minor), exchange.services.candidates)
    try:
        found = exchange.read(find_known_candidates, query)
        if found is None:
            found = exchange.read(find_candidates, query)
    except ResourceClassNotFound as error:
        raise refusal_of(error, "Invalid resource class in resources parameter: ") from None
    return json_answer(exchange, encode_candidates(exchange.minor, query, found), modified=exchange.now())


@lru_cache(maxsize=QUERIES_KEPT)
def _read(parameters: tuple[tuple[str, str], ...], minor: int) -> CandidateQuery:
    return read_query(Query(parameters), minor, nested=minor >= TREES_SINCE)


def _with_rules(query: CandidateQuery, rules: CandidateRules) -> CandidateQuery:
    """Return the query with what the operator decided. The maximum counts like a lower limit of the client."""
    limits = [limit for limit in (query.limit, rules.count_max) if limit is not None]
    return replace(
        query,
        limit=min(limits, default=None),
        breadth_first=rules.breadth_first,
        shuffle_seed=getrandbits(32) if rules.randomize else None,
    )
