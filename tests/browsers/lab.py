"""A lab with forty machines, two projects and a running console; its rows are written straight into the tables."""

import time
import uuid
from pathlib import Path
from typing import Any

import bcrypt
import httpx
from sqlalchemy import insert, select

from dibs.events.tables import events
from dibs.http.auth.basic import BasicAuth
from dibs.http.auth.sessions import BasicSignIn, Session
from dibs.leases.tables import hosts
from dibs.ledger.tables import inventories, provider_traits, providers, resource_classes, traits
from dibs.machines.tables import chassis, nodes
from dibs.sessions.tables import site_keys
from tests.bed.dibs_server import DibsServer
from tests.bed.session import Bed
from tests.fleet import FIRST_ID, NOW
from tests.laws import connect

KINDS = (("gold", 14), ("silver", 18), ("arm", 8))
GPU = "CUSTOM_GPU_A100"
CHILDREN_FIRST_ID = 2 * FIRST_ID
PASSWORD = "correct horse"
HOUR = 3600
USERS = {
    "root": ("", ""),
    "alice": ("vision-lab", "member"),
    "bob": ("storage", "member"),
    "eve": ("strangers", "member"),
}
"""The project and the roles of each user. Storage owns the machines, and vision-lab leases them."""


def names() -> list[str]:
    """Return the names of the machines."""
    numbers = iter(range(1, 1000))
    return [f"{'arm' if kind == 'arm' else f'r{1 + number % 4}'}-{number:02}" for kind, count in KINDS
            for number in (next(numbers) for _ in range(count))]  # fmt: skip


def uuid_of(name: str) -> str:
    """Return the uuid of a machine."""
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, name))


def fill(url: str) -> None:
    """Insert the machines; each is a host that leases can book."""
    kinds = [kind for kind, count in KINDS for _ in range(count)]
    machines = list(enumerate(zip(names(), kinds, strict=True)))
    racks = sorted({name.partition("-")[0] for name in names()})
    with connect(url) as connection, connection.begin():
        rows = [{"id": FIRST_ID + n, "name": f"CUSTOM_{kind.upper()}"} for n, (kind, _) in enumerate(KINDS)]
        connection.execute(insert(resource_classes), [row | {"created_at": NOW} for row in rows])
        classes = {kind: FIRST_ID + n for n, (kind, _) in enumerate(KINDS)}
        rows = [{"uuid": uuid_of(rack), "description": f"rack {rack}", "created_at": NOW} for rack in racks]
        connection.execute(insert(chassis), rows)
        connection.execute(insert(providers), [_provider(n, name) for n, (name, _) in machines])
        connection.execute(insert(providers), [_provider(n, name, child=True) for n, (name, _) in machines])
        connection.execute(insert(nodes), [_node(n, name, kind) for n, (name, kind) in machines])
        connection.execute(insert(inventories), [_unit(n, classes[kind]) for n, (_, kind) in machines])
        connection.execute(insert(traits), [{"name": name, "created_at": NOW} for name in (GPU, "HW_CPU_X86_AVX2")])
        having = [(n, "HW_CPU_X86_AVX2") for n, _ in machines] + [(n, GPU) for n, _ in machines[:9]]
        connection.execute(
            insert(provider_traits), [{"provider_id": FIRST_ID + n, "trait": trait} for n, trait in having]
        )
        connection.execute(insert(hosts), [_host(n, name) for n, (name, _) in machines])
        connection.execute(insert(events), [*_used("r2-01", 9, 5), *_used("r3-02", 7, 6)])


def write_users(folder: Path) -> Path:
    """Write the user file; its hashes are as cheap as bcrypt allows."""
    digest = bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(4)).decode()
    lines = [":".join(filter(None, (name, digest, *rest))) for name, rest in USERS.items()]
    path = folder / "users"
    path.write_text("\n".join(lines) + "\n")
    return path


def start_lab(bed: Bed, folder: Path) -> DibsServer:
    """Start a server of the lab with http_basic, whose hosts are cleaned for half an hour between two leases."""
    url = bed.databases("sqlite").fresh()
    fill(url)
    flags = ("--auth-file", str(write_users(folder)), "--lease-cleaning-minutes", "30", "--hold-seconds", "3000")
    server = DibsServer(url, folder, *flags, auth="http_basic")
    server.start()
    return server


class Lab:
    """The server, and calls to its APIs as one of the users."""

    def __init__(self, server: DibsServer) -> None:
        self.server = server
        self.url = server.url

    def ended_session(self, user: str) -> str:
        """Return the cookie of a session that was valid until an hour ago."""
        with connect(self.server.database_url) as connection:
            key = bytes.fromhex(connection.execute(select(site_keys.c.value)).scalar_one())
        users = BasicAuth(self.server.words[self.server.words.index("--auth-file") + 1])
        sign_in = BasicSignIn(users, lambda: key, HOUR, clock=lambda: time.time() - 2 * HOUR)
        session = sign_in.sign_in({"user": user, "password": PASSWORD})
        assert isinstance(session, Session)
        return session.cookie

    def call(self, method: str, path: str, body: Any = None, user: str = "root") -> Any:
        """Call an API; the answer must be a success."""
        headers = {"X-OpenStack-Ironic-API-Version": "1.80"}
        answer = httpx.request(method, self.url + path, json=body, auth=(user, PASSWORD), headers=headers, timeout=60)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def lease(
        self, name: str, start: str, end: str, user: str = "alice", host: str = "", count: int = 1, wanted: str = ""
    ) -> Any:
        """Book some hosts: the named one, or any with the wanted properties."""
        named = f'["==", "$hypervisor_hostname", "{host}"]' if host else ""
        reservation = {"resource_type": "physical:host", "min": count, "max": count}
        reservation |= {"hypervisor_properties": named, "resource_properties": wanted}
        body = {"name": name, "start_date": start, "end_date": end, "reservations": [reservation], "events": []}
        return self.call("POST", "/reservation/v1/leases", body, user)["lease"]


def _used(name: str, first_day: int, last_day: int) -> list[dict[str, Any]]:
    """Return the events of a node that had an instance, some days ago."""
    states = ('{"instance_uuid":null}', '{"instance_uuid":"an instance"}')
    node = {"object_id": uuid_of(name), "node": uuid_of(name), "project_id": "storage"}
    return [
        {**node, "type": "node.changed", "operation": operation, "before_state": before, "after_state": after}
        | {"happened_at": (time.time_ns() // 1_000) - days * 24 * HOUR * 1_000_000}
        for days, operation, before, after in (
            (first_day, "grant_nodes", *states),
            (last_day, "delete_allocation", *reversed(states)),
        )
    ]


def _provider(number: int, name: str, *, child: bool = False) -> dict[str, Any]:
    row_id = (CHILDREN_FIRST_ID if child else FIRST_ID) + number
    return {
        "id": row_id,
        "uuid": str(uuid.uuid4()) if child else uuid_of(name),
        "name": f"blazar_{name}" if child else name,
        "root_id": FIRST_ID + number,
        "parent_id": FIRST_ID + number if child else None,
        "created_at": NOW,
    }


def _node(number: int, name: str, kind: str) -> dict[str, Any]:
    return {
        "id": FIRST_ID + number,
        "uuid": uuid_of(name),
        "name": name,
        "driver": "fake-hardware",
        "provision_state": "available",
        "power_state": "power off",
        "resource_class": kind,
        "owner": "storage",
        "lessee": "vision-lab",
        "chassis_uuid": uuid_of(name.partition("-")[0]),
        "properties": '{"cpus": 64, "memory_mb": 262144}',
        "maintenance": int(number % 9 == 4),
        "maintenance_reason": "PSU swap" if number % 9 == 4 else None,
        "created_at": NOW,
    }


def _unit(number: int, class_id: int) -> dict[str, Any]:
    reserved = int(number % 9 == 4)
    sizes = {"total": 1, "max_unit": 1, "reserved": reserved}
    return {"provider_id": FIRST_ID + number, "class_id": class_id, "created_at": NOW, **sizes}


def _host(number: int, name: str) -> dict[str, Any]:
    return {
        "id": FIRST_ID + number,
        "provider_id": FIRST_ID + number,
        "reservation_provider_id": CHILDREN_FIRST_ID + number,
        "name": name,
        "service_name": name,
        "availability_zone": "nova",
        "hypervisor_type": "ironic",
        "cpu_info": "{}",
        "created_at": NOW,
    }
