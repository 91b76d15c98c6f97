"""A conductor's RPC server for tests."""

from collections.abc import Iterator
from contextlib import contextmanager

from dibs.access.actor import Actor
from dibs.machines.model.errors import NodeLocked
from dibs.rpc.client import Caller
from dibs.rpc.server import Calls
from dibs.rpc.signing import CallVerifier
from tests.builders import FIRST_INSTANT, Clock
from tests.http.edge.echo_server import running_server

SECRET = "a secret of some length"
EVA = Actor(user="eva", project="p1", roles=frozenset({"member", "reader"}))


def echo(actor, params):
    sent = {name: value for name, value in params.items() if name != "deadline"}
    return {"user": actor.user, "roles": sorted(actor.roles), "scope": actor.system_scope, "params": sent}


def deadline(actor, params):
    return params["deadline"]


def refuse(actor, params):
    raise NodeLocked(node="n1", host="c1")


def demand(actor, params):
    return params["missing"]


PROCEDURES = {"echo": echo, "deadline": deadline, "refuse": refuse, "demand": demand}


@contextmanager
def rpc_server(kind=Calls, *, incarnation=lambda: "life-1", secret=SECRET) -> Iterator[str]:
    """Serve the procedures and yield the URL; ``secret`` signs the answers."""
    calls = kind(PROCEDURES, incarnation=incarnation, verifier=CallVerifier(SECRET, Clock()), secret=secret)
    with running_server(dialect=calls) as server:
        yield f"{server.url}/rpc"


def caller(secret=SECRET, *, timeout_seconds=10):
    return Caller(secret, lambda: FIRST_INSTANT, timeout_seconds=timeout_seconds)
