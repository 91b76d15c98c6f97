"""Calendars: iCalendar feeds of the leases and allocations of a project, a user or a node.

A calendar program cannot sign in, so the secret token in the URL of a feed is its only credential. The database has a
digest of the token, what the calendar is about, and who created it. What a feed shows is decided when it is read, with
the roles of its creator and the policy of that moment. Start with ``model/calendars.py``.
"""
