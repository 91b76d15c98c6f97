"""Which clients a server accepts, and how much of it one client may use.

No client may keep another from its answers. ``limits`` has every number, with the reason for it. ``proxies``,
``browsers`` and ``identity`` establish where a request comes from and who sent it; ``attempts`` slows down guessing.
``connections``, ``callers`` and ``admission`` bound connections, requests and threads of one caller.
"""
