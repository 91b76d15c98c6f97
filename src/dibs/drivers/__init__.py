"""What touches hardware. Each module is one hardware type and follows ``domain.driver.Driver``.

A driver knows nodes and nothing of the database, the queue or the API: it is handed a node and a piece of work, and
returns how that stands.
"""
