"""HTTP contracts over the one ledger, one package per API: baremetal, placement, reservation, compute and native.

A dialect parses requests, runs one operation and renders the answer, with the microversions, status codes and error
texts of the original service. Rules and SQL do not belong here, and no dialect imports another one. Code that two
dialects need is in ``dibs.http`` or ``dibs.documents``. Start with ``routes`` of a dialect.
"""
