"""Notifications: events as Ironic and Blazar notify of them, for programs that listen to a message broker.

The events are the queue: one row has the position of the last event that was sent, and the conductor that moves it is
the only one that sends. It moves the position after the broker has taken the messages, so a conductor that fails in
between is followed by another one that sends them again: at least once, in the order of the events. Start with
``model/notifications.py``.
"""
