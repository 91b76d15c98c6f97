"""Brings what another service keeps into Dibs: reads through its API, writes through the API of a running Dibs.

One module per noun knows how to read it there, make it here and tell whether the two are the same; ``ironic``,
``placement`` and ``blazar`` say in which order. Nothing here knows the server: all it has is two ``Service`` objects.

Whatever is interrupted is simply run again: what is here already is compared and left as it is, and what a killed run
left half done can be told from what somebody changed, and is finished (see the module of each noun for how).
"""
