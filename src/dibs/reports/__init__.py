"""Reports: figures about the whole site, read from the tables of all other rooms.

``operations/measuring.py`` reads what the metrics show, with a bounded number of aggregate statements.
``operations/utilisation.py`` reads from events how long projects had nodes. Nothing here writes.
"""
