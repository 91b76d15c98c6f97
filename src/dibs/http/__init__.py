"""HTTP without any dialect: sockets, limits, routing, microversions, authentication, request ids, health, metrics.

Start with ``edge/shell.py``, the ASGI application. It reads a request with a size limit and a deadline, refuses it when
too many wait, runs it in a bounded pool of threads, and sends the response; all code behind it is synchronous.
``messages`` has the types that the shell and the dialects exchange; ``exchange``, ``routing`` and
``negotiation`` are what dialects build their handlers from. Paths, bodies and error formats of an API belong to its
dialect, and decisions about access to ``dibs.access``.
"""
