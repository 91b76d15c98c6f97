"""Serve the installed Placement on a port of the loopback interface until it is killed."""

import sys
from wsgiref.simple_server import WSGIRequestHandler, make_server

from placement.wsgi.api import application


class Silent(WSGIRequestHandler):
    """A handler without a log: Placement logs its requests itself."""

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


make_server("127.0.0.1", int(sys.argv[1]), application, handler_class=Silent).serve_forever()
