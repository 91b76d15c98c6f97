"""Reports: figures about the whole site, read from the tables of all other rooms.

``operations/measuring.py`` reads what the metrics show, with a bounded number of aggregate statements. Nothing here
writes.
"""
