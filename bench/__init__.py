"""Measurements that anyone can repeat: ``make bench`` runs every entry on every engine and prints tables.

``requests.py`` lists the requests to a running server. A measurement of more than one request has its own module, which
yields lines and is called in ``__main__.py``. Figures depend on the machine, and the throw-away PostgreSQL and MariaDB
do not wait for the disk as SQLite does: compare two versions of Dibs on one engine and one machine, not two engines.
"""
