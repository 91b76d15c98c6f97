"""The HTTP server around the dialects: sockets, limits, logging and metrics.

``shell`` is the ASGI application, ``server`` runs it under uvicorn, ``protocol`` bounds connections and slow and large
requests before the shell sees them, ``site`` answers paths outside every dialect. The rest are the steps of a request:
``guards``, ``reading``, ``cors``, ``sending``, ``logs`` and ``metrics``.
"""
