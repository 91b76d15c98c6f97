"""Calls from an API process to a conductor: JSON-RPC 2.0 over HTTP, signed with a secret that both know.

``signing`` proves who calls and who answers; ``server`` is the conductor's side, ``client`` the API's; ``wire`` writes
actors and refusals as JSON.
"""
