"""Calls from API processes to conductors: JSON-RPC 2.0 over HTTP, signed with a shared secret.

Here belong the transport and its proof: ``client`` and ``server`` are the two sides, ``signing`` proves that both know
the secret, ``wire`` writes actors and errors as JSON. What a call does is an operation of another package, which checks
the caller's access as for a local call. Start with ``intake``, which has the two procedures that exist.
"""
