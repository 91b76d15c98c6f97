"""HTTP plumbing that knows no dialect: routing, microversions, authentication, request ids, limits, health, metrics.

The way in is one ASGI application (``shell.py``). It reads a request with a size limit and a deadline, sheds load when
too much waits, hops to a bounded pool of threads, and sends the answer; what is behind it is plain synchronous Python.
"""
