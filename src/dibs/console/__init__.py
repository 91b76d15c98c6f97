"""The web console: pages for people, over the same operations, access and policies as the APIs.

``console`` answers requests as a dialect does. ``routes`` lists the pages, ``views`` has one module per page: parse,
run an operation, render a template. ``pages`` renders, ``assets`` serves what ``assets/`` contains, ``signing`` signs
users in and out. Templates and scripts decide nothing; each page works without scripts (docs/adr/0015).
"""

from dibs.console.console import Console

__all__ = ["Console"]
