"""Measurements that anyone can repeat: ``make bench`` runs every entry on every engine and prints one table.

An entry is a function that takes a running server and the number of nodes, and gives rows of what it measured. It is
listed in ``__main__.py``. Numbers depend on the machine, and the throw-away PostgreSQL and MariaDB do not wait for the
disk as SQLite does: compare two versions of Dibs on one engine and one machine, not one engine with another.
"""
