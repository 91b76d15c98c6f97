"""How long a connection waits for its server. Each limit is longer than the limits that should be reached before it."""

CONNECT_SECONDS = 5
"""Time to connect, authenticate and set up a connection."""

LOCK_SECONDS = 10
"""Shorter than a statement may take, so that a long wait for a lock is recognized as such and retried."""

STATEMENT_SECONDS = 30
"""The server stops a statement that takes longer."""

ANSWER_SECONDS = 40
"""Dibs gives up on a connection without an answer: the server hangs, or the network drops the packets.

Longer than a statement may take: a slow statement must not be taken for a lost connection, which may be retried.
"""

IDLE_TRANSACTION_SECONDS = 120
"""The server ends a transaction whose client sent nothing for this long: the locks of a lost client are released."""

KEEPALIVE_IDLE_SECONDS = 15
KEEPALIVE_INTERVAL_SECONDS = 5
KEEPALIVE_PROBES = 5
"""The kernel closes a connection whose peer is gone. Upgrades rely on it: their statements have no other limit."""
