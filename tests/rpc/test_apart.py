"""``dibs api`` and ``dibs conductor`` as an operator runs them: processes of their own on one database."""

import time
import uuid

import pytest

from dibs.access.access import SERVICE
from dibs.allocations.operations.intake import list_callable_conductors
from dibs.allocations.queries import allocations
from dibs.machines.operations.nodes import CreateNode, create_node
from dibs.machines.queries import conductors
from dibs.wiring.hooks import build_runner
from tests.bed.dibs_server import DibsServer
from tests.bed.forked import run_dibs
from tests.bed.waiting import eventually
from tests.cli.commands.test_serve import self_signed
from tests.conductor.process import real_clock
from tests.crashes.client import SMALL_TIMES, Client
from tests.laws import assert_lawful
from tests.races.crowd import all_at_once

SECRET = ("--rpc-secret", "a secret of all processes")


@pytest.fixture
def site(serve, store):
    return Site(serve, store)


class Site:
    """Processes of one site, and short ways to use them."""

    def __init__(self, serve, store):
        self.serve = serve
        self.store = store
        self.runner = build_runner(store, real_clock)

    def api(self, *flags):
        return self.serve(*(flags or SECRET), command="api")

    def conductor(self, *flags):
        return self.serve(*SECRET, *flags, command="conductor")

    def enrol(self, count, **more):
        for _ in range(count):
            values = {"driver": "fake-hardware", "power_state": "power off", "resource_class": "gold", **more}
            command = CreateNode(uuid=str(uuid.uuid4()), values=values, provision_state="available")
            self.runner.write(create_node, SERVICE, command)

    def allocation(self, ident):
        return self.store.read(lambda tx: allocations.get(tx, ident))

    def callable_conductors(self):
        return len(self.runner.read(list_callable_conductors, SERVICE, None))

    def name_of(self, ident):
        allocation = self.allocation(ident)
        return self.store.read(lambda tx: conductors.get_by_id(tx, allocation.conductor_id)).hostname

    def active(self, idents):
        return all(self.allocation(ident).state == "active" for ident in idents)


def ask(api, **values):
    status, document = Client(api.port).ask("POST", "/baremetal/v1/allocations", {"resource_class": "gold", **values})
    assert status == 201, document
    assert document["state"] == "allocating"
    return document["uuid"]


def wait_for(api, count=1, seconds=600):
    body = {"resource_class": "gold", "count": count, "wait_seconds": seconds}
    status, document = Client(api.port).ask("POST", "/dibs/v1/allocations", body)
    assert status == 201, document
    return [allocation["uuid"] for allocation in document["allocations"]]


def test_two_apis_and_two_conductors_share_the_allocations(site):
    for _ in range(2):
        site.conductor()
    apis = [site.api(), site.api()]
    site.enrol(60)
    # A conductor that could not write at its start registers later.
    eventually(lambda: site.callable_conductors() == 2, seconds=60, what="two conductors")
    made = all_at_once(20, lambda number: ask(apis[number % 2]))
    while len({site.name_of(ident) for ident in made}) < 2 and len(made) < 60:
        # The other conductor was late with a heartbeat: the APIs call it again afterwards.
        made.append(ask(apis[len(made) % 2]))
        time.sleep(0.5)
    eventually(lambda: site.active(made), seconds=60, what="nodes for all")
    assert len({site.allocation(ident).node_id for ident in made}) == len(made)
    assert len({site.name_of(ident) for ident in made}) == 2, [api.log() for api in apis]
    for number, ident in enumerate(made):
        other = Client(apis[(number + 1) % 2].port)
        assert other.ask("DELETE", f"/baremetal/v1/allocations/{ident}") == (204, None)
    assert [site.allocation(ident) for ident in made] == [None] * len(made)
    assert_lawful(apis[0].database_url)


def test_request_id_is_in_the_logs_of_both_processes(site):
    conductor, api = site.conductor(), site.api()
    client = Client(api.port)
    assert client.ask("POST", "/baremetal/v1/allocations", {"resource_class": "gold"})[0] == 201
    ident = client.headers["x-openstack-request-id"]
    eventually(lambda: ident in api.log() and ident in conductor.log())


def test_other_conductor_finds_the_nodes_for_a_killed_one(site):
    victim, survivor = site.conductor(*SMALL_TIMES), site.conductor(*SMALL_TIMES)
    api = site.api()
    site.enrol(3, maintenance=True)
    made = wait_for(api, count=3)
    while len({site.name_of(ident) for ident in made}) < 2:
        made += wait_for(api)
        assert len(made) < 60, "one conductor gets everything"
    victim.kill()
    site.enrol(len(made))
    eventually(lambda: site.active(made), seconds=60, what="take-over")
    assert {site.name_of(ident).rpartition("-")[2] for ident in made} == {str(survivor.port)}
    assert_lawful(api.database_url)


def test_conductor_that_was_just_killed_is_skipped(site):
    killed, _ = site.conductor(), site.conductor()
    api = site.api()
    killed.kill()
    site.enrol(8)
    made = [ask(api) for _ in range(8)]
    eventually(lambda: site.active(made), seconds=60)


def test_without_a_live_conductor_the_answer_is_503_and_nothing_is_written(site):
    site.conductor(*SMALL_TIMES).stop()
    api = site.api()
    client = Client(api.port)
    assert client.ask("POST", "/baremetal/v1/allocations", {"resource_class": "gold"})[0] == 503
    assert client.ask("POST", "/dibs/v1/allocations", {"resource_class": "gold", "count": 2})[0] == 503
    assert client.ask("GET", "/baremetal/v1/allocations") == (200, {"allocations": []})


def test_api_with_another_secret_creates_nothing(site):
    site.conductor()
    client = Client(site.api("--rpc-secret", "not the secret of the others").port)
    assert client.ask("POST", "/baremetal/v1/allocations", {"resource_class": "gold"})[0] == 503
    assert client.ask("GET", "/baremetal/v1/allocations") == (200, {"allocations": []})


def test_conductor_serves_no_dialect_and_api_takes_no_calls(site):
    conductor, api = site.conductor(), site.api()
    assert Client(conductor.port).ask("GET", "/baremetal/v1/nodes")[0] == 404
    assert Client(conductor.port).ask("POST", "/rpc", {})[0] == 401
    assert Client(api.port).ask("POST", "/rpc", {})[0] == 404


def test_conductor_whose_name_another_process_took_is_unhealthy_and_gets_no_calls(site):
    first = site.conductor("--conductor-name", "rack-7", *SMALL_TIMES)
    site.conductor("--conductor-name", "rack-7", *SMALL_TIMES)
    eventually(lambda: Client(first.port).ask("GET", "/healthcheck")[0] == 503, what="the end of the first")
    assert "not registered" in str(Client(first.port).ask("GET", "/healthcheck")[1])
    assert Client(first.port).ask("POST", "/rpc", {})[0] == 503
    site.enrol(1)
    made = ask(site.api())
    eventually(lambda: site.active([made]), seconds=60)


class TlsConductor(DibsServer):
    """A conductor with TLS; its log says when it is ready."""

    def is_ready(self):
        return "accepts RPC calls at https://" in self.log()


def test_conductor_with_tls_is_called_only_by_an_api_that_trusts_its_authority(site, database_url, tmp_path):
    certificate, key = self_signed(tmp_path)
    flags = ("--tls-cert", certificate, "--tls-key", key)
    conductor = TlsConductor(database_url, tmp_path, *SECRET, *flags, command="conductor")
    conductor.start()
    try:
        site.enrol(1)
        stranger = Client(site.api().port)
        assert stranger.ask("POST", "/baremetal/v1/allocations", {"resource_class": "gold"})[0] == 503
        made = ask(site.api(*SECRET, "--rpc-ca-file", certificate))
        eventually(lambda: site.active([made]), seconds=60)
    finally:
        conductor.stop()


def test_missing_authority_file_is_named():
    done = run_dibs("api", "--rpc-ca-file", "nowhere.pem")
    assert (done.returncode, "Cannot read rpc_ca_file" in done.stderr) == (1, True)


@pytest.mark.parametrize(
    "flags",
    [("--rpc-bind", "0.0.0.0:0"), ("--auth", "http_basic", "--auth-file", "users"), ("--rpc-secret", "short")],
    ids=["all addresses", "authentication without a secret", "short secret"],
)
def test_conductor_without_a_safe_secret_does_not_start(flags):
    done = run_dibs("conductor", *flags)
    assert done.returncode == 1
    assert "rpc" in done.stderr
    assert "Traceback" not in done.stderr
