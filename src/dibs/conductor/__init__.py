"""The conductor: the process that does work, the second entrance to the operations next to HTTP.

Here belong threads, retries and the order of work; what the work changes in the database is decided by the operations
of the other packages, which the conductor runs as ``SERVICE``. Start with ``service``, which names every thread:

- ``registration`` registers the conductor and sends heartbeats; a ``session`` lasts from one registration to its end;
- ``periodic`` repeats work in a thread of its own, at each wake-up and every few seconds: rounds of steps (``rounds``),
  which are ``expiry``, ``deferred_deletes``, ``tasks`` (with ``task_runner`` for one node) and ``allocations`` (with
  ``entries`` for pauses and retries); beside it ``leases``, ``outbox`` and ``retention``;
- ``threads`` notices threads that hang.
"""

from dibs.conductor.service import Conductor

__all__ = ["Conductor"]
