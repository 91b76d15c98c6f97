"""Measurements that anyone can repeat: ``make bench`` runs every entry on every engine and prints tables.

Requests to a running server are listed in ``requests.py``; what takes more than one request has a module of its own,
which gives lines of what it measured, and is called in ``__main__.py``. Numbers depend on the machine, and the
throw-away PostgreSQL and MariaDB do not wait for the disk as SQLite does: compare two versions of Dibs on one engine
and one machine, not one engine with another.
"""
