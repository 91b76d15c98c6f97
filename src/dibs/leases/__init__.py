"""Leases: bookable hosts, their calendar, leases with their reservations and events, and reassignment.

Here: registering hosts, choosing and booking hosts for a window of time, what happens when a lease begins and ends, the
guards that keep booked hosts for their leases, and the outbox of calls to external services.

Not here: servers on leased hosts (``dibs.servers``), flavors (``dibs.flavors``), the clients of Nova and of the
enforcement service (``dibs.integrations``), the threads that run due events (``dibs.conductor``), and Blazar's JSON
(``dibs.dialects.reservation``).

Start with ``model/leases.py``, then ``operations/leases.py``. Hosts are chosen in ``model/matching`` and booked in
``operations/booking.py``, the only writer of bookings.
"""
