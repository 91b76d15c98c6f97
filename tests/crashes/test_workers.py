"""Several processes behind one port, on every engine, and a server that stops during requests."""

import os
import re
import signal
from collections.abc import Callable

from tests.bed.dibs_server import DibsServer
from tests.bed.processes import children_of
from tests.bed.waiting import eventually
from tests.crashes.client import SMALL_TIMES, Client, Load, assert_nothing_lost
from tests.laws import assert_lawful
from tests.races.crowd import all_at_once

Serve = Callable[..., DibsServer]


def test_two_workers_lose_and_refuse_nothing(serve: Serve) -> None:
    server = serve("--workers", "2", *SMALL_TIMES)
    with Load(server.port, threads=6, stop_after=10) as load:
        load.join()
    assert load.broken == []
    assert load.refused == []
    assert len(load.created) == 60
    assert_nothing_lost(server, load)
    one_name_goes_to_one_node(server)
    client = Client(server.port)
    eventually(lambda: {node["provision_state"] for node in client.nodes("provision_state").values()} == {"manageable"})
    assert_lawful(server.database_url)


def one_name_goes_to_one_node(server: DibsServer) -> None:
    body = {"driver": "fake-hardware", "name": "wanted"}
    for _ in range(3):
        answers = all_at_once(8, lambda _: Client(server.port).ask("POST", "/baremetal/v1/nodes", body)[0])
        assert sorted(answers) == [201] + [409] * 7, answers
        assert Client(server.port).ask("DELETE", "/baremetal/v1/nodes/wanted")[0] == 204


def test_killed_worker_is_replaced_and_workers_of_a_killed_parent_stop(serve: Serve) -> None:
    server = serve("--workers", "2", *SMALL_TIMES)
    with Load(server.port) as load:
        load.reach(15)
        victim = max(children_of(server.pid))
        os.kill(victim, signal.SIGKILL)
        eventually(lambda: f"Worker {victim} died" in server.log())
    assert load.refused == []
    assert_nothing_lost(server, load)
    workers = children_of(server.pid)
    server.kill()
    eventually(lambda: not any(alive(pid) for pid in workers), what="the end of the workers")
    server.start()
    assert_nothing_lost(server, load)
    assert_lawful(server.database_url)


def alive(pid: int) -> bool:
    return os.path.exists(f"/proc/{pid}")


def test_sigterm_finishes_running_requests(serve: Serve) -> None:
    server = serve(*SMALL_TIMES)
    with Load(server.port, threads=6) as load:
        load.reach(15)
        assert server.stop() == 0
    assert load.refused == []
    # A connection may be closed between two requests, but not during a response.
    for error in load.broken:
        assert re.search("Remote end closed|refused|reset|Broken pipe", str(error)), error
    assert "Traceback" not in server.log()
    assert_lawful(server.database_url)
    server.start()
    assert_nothing_lost(server, load)
