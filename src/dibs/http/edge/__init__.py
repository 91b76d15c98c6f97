"""The edge: sockets, limits, logging and metrics around the dialects."""
