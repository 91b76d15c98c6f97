"""Serves Keystone's WSGI application on the port given; run as a script."""

import socketserver
import sys
import wsgiref.simple_server

port = int(sys.argv.pop())
# Keystone reads the command line when it is imported, and knows no port.
from keystone.wsgi.api import application  # noqa: E402


class ThreadedServer(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    """Serves each request in a thread."""

    daemon_threads = True


wsgiref.simple_server.make_server("127.0.0.1", port, application, ThreadedServer).serve_forever()
