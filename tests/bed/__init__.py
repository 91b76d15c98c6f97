"""The test bed: throw-away database servers and running copies of Dibs, on private ports and in temporary folders.

Nothing here touches a server that the machine already runs. A server that this package starts dies with the process
that started it, and its folder is removed when the run ends.
"""
