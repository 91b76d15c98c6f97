"""The test bed: throw-away database servers and running copies of Dibs, on private ports and in temporary folders.

The test bed never uses a server that already runs on the machine. A server of the test bed dies with the process that
started it, and its folder is removed when the run ends.
"""
