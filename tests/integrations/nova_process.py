"""A whole Nova in one process: API, conductor, scheduler, and a compute service with Nova's own fake hypervisor.

``python nova_process.py FOLDER PORT DATABASE``: the folder contains nova.conf and api-paste.ini; the database is that
of cell0, for servers without a host.

The services use an in-memory message bus. A token is ``user:project`` and is not checked. The network service answers
every request with an empty list.
"""

# ruff: noqa: E402

import sys

FOLDER, PORT, CELL0_DATABASE = sys.argv[1], int(sys.argv[2]), sys.argv[3]
sys.argv = ["nova", "--config-file", f"{FOLDER}/nova.conf"]

from nova import monkey_patch

# Before anything else is loaded, as in Nova's own programs.
monkey_patch.patch(backend="threading")

import json
from collections.abc import Callable, Iterable
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import nova.conf
from nova import config, context, objects, service
from nova.compute import rpcapi as compute
from nova.conductor import rpcapi as conductor
from nova.db import migration
from nova.objects import host_mapping
from nova.scheduler import rpcapi as scheduler
from oslo_log import log
from oslo_service import opts
from paste import deploy

NETWORK = "/network/v2.0/"
CELL = "11111111-1111-1111-1111-111111111111"


class Server(ThreadingMixIn, WSGIServer):
    """Answers requests concurrently."""

    daemon_threads = True


class Silent(WSGIRequestHandler):
    """Logs no requests, because Nova does."""

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


def create_databases() -> None:
    """Create the schemas and cells, as nova-manage does."""
    migration.db_sync(database="api")
    admin = context.get_admin_context()
    conf = nova.conf.CONF
    cells = {
        objects.CellMapping.CELL0_UUID: ("cell0", "none:///", CELL0_DATABASE),
        CELL: ("cell1", conf.transport_url, conf.database.connection),
    }
    for uuid, (name, bus, database) in cells.items():
        cell = objects.CellMapping(admin, uuid=uuid, name=name, transport_url=bus, database_connection=database)
        cell.create()
        with context.target_cell(admin, cell) as inside:
            migration.db_sync(context=inside)


def start_services() -> list[Any]:
    """Start all services but the API."""
    opts.register_service_opts(nova.conf.CONF)
    started = []
    for binary, topic, second_topic in (
        ("nova-conductor", conductor.RPC_TOPIC, None),
        ("nova-scheduler", scheduler.RPC_TOPIC, None),
        ("nova-compute", compute.RPC_TOPIC, compute.RPC_TOPIC_ALT),
    ):
        started.append(service.Service.create(binary=binary, topic=topic, topic_alt=second_topic))
        started[-1].start()
    host_mapping.discover_hosts(context.get_admin_context())
    return started


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Nova's API with the headers that keystonemiddleware would set, and an empty network service."""
    path = environ["PATH_INFO"]
    if path.startswith(NETWORK):
        start_response("200 OK", [("Content-Type", "application/json")])
        return [json.dumps({path.removeprefix(NETWORK).replace("-", "_"): []}).encode()]
    user, _, project = environ.get("HTTP_X_AUTH_TOKEN", "").partition(":")
    roles = "admin,member,reader" if user == "admin" else "member,reader"
    environ |= {"HTTP_X_USER_ID": user, "HTTP_X_PROJECT_ID": project, "HTTP_X_ROLES": roles}
    answer: Iterable[bytes] = API(environ, start_response)
    return answer


config.parse_args(sys.argv)
log.setup(nova.conf.CONF, "nova")
objects.register_all()
create_databases()
SERVICES = start_services()
API = deploy.loadapp(f"config:{FOLDER}/api-paste.ini", name="osapi_compute")
make_server("127.0.0.1", PORT, application, server_class=Server, handler_class=Silent).serve_forever()
