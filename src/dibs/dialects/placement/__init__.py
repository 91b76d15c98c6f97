"""The placement dialect: Placement's HTTP API for resource providers, allocations and allocation candidates.

Start with ``routes``: each row names a handler, by ``endpoints`` of three kinds. ``query`` parses query strings,
``microversions`` lists the versions, ``errors`` maps domain errors to statuses and codes. Rules about claims do not
belong here but in ``dibs.ledger``, and the search for candidates in ``dibs.candidates``. Versions, every quirk, and
where Dibs does better than the original: docs/dialects/placement.md.
"""

from dibs.dialects.placement.dialect import Placement
from dibs.dialects.placement.exchange import CandidateRules

__all__ = ["CandidateRules", "Placement"]
