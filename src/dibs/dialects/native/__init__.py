"""The native dialect, Dibs' own API at ``/dibs``: what no OpenStack API has.

Batches of allocations, waiting, retry, sticky allocations, and explanations of why nodes or a lease are not available.
Anything that an OpenStack API has belongs to the dialect of that API. Start with ``routes``; each noun has a module
that parses the request, runs the operation and renders the answer. Examples: docs/dialects/native.md.
"""

from dibs.dialects.native.dialect import Native

__all__ = ["Native"]
