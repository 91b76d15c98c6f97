"""Measurements that anyone can repeat: ``make bench`` prints Dibs beside the original services.

``__main__.py`` lists the sections. A section is a module that starts services (``services``), defines its rows and
yields the tables of ``tables.py``; ``load.py`` has the clients. Figures depend on the machine, and the throw-away
databases do not wait for a disk: compare lines of one run. CPU time is compared, because other work on the machine
changes it little. ``soak.py`` and ``simulate.py`` are commands of their own.
"""
