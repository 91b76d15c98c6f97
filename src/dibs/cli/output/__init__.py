"""What commands print: columns for people and for scripts, and suggestions for names that do not exist.

``columns`` has the values that differ between a table and ``-f json``; ``closest`` finds similar names. Nothing here
calls a server or knows a command.
"""
