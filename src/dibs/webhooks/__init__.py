"""Webhooks: URLs of receivers to which conductors post the events of a project.

A delivery is one event for one webhook, and a row. ``operations/routing.py`` adds the rows for published events, in
the transaction that moves past these events, so none is lost or added twice. ``operations/delivering.py`` is the life
of a delivery: due, taken by one conductor, then delivered, retried or given up. The conductor posts with no
transaction open. Start with ``model/webhooks.py``.
"""
