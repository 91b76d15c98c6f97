"""The rules of the ledger, pure: no I/O, no clock, no SQL, no HTTP.

Everything here can be called in a test without setting anything up. Times are microseconds since 1970 in UTC
(``Instant``), so that every engine stores and compares them alike.
"""
