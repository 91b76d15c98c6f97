"""A conductor whose database server is stopped and started again under it."""

import logging

import pytest

from dibs.access.access import SERVICE
from dibs.conductor import Conductor
from dibs.database import open_store
from dibs.database.migrate import upgrade
from dibs.database.store import CONNECTION_BACK, CONNECTION_LOST
from dibs.drivers.fake import FakeDriver
from dibs.machines.operations.provisioning import RequestProvision, request_provision
from tests.bed.waiting import eventually
from tests.builders import Ledger


@pytest.mark.parametrize("engine", ["postgresql", "mariadb"])
def test_work_goes_on_when_the_database_server_is_back(database_server, engine, caplog):
    server = database_server(engine)
    server.address.execute("CREATE DATABASE away")
    url = server.address.url("away")
    upgrade(url)
    store = open_store(url)
    ledger = Ledger(store)
    conductor = Conductor(
        ledger.runner,
        {"fake-hardware": FakeDriver()},
        ledger.clock,
        hostname="conductor-1",
        heartbeat_seconds=0.1,
        poll_seconds=0.05,
    )
    conductor.start()
    try:
        node = ledger.enrol(driver_info={"fake_delay_deploy": 0.5})
        request = RequestProvision(ident=node.uuid, rules=(), verb="active")
        ledger.runner.write(request_provision, SERVICE, request)
        server.stop()
        eventually(lambda: CONNECTION_LOST in caplog.text)
        server.start()
        eventually(lambda: ledger.node(node).provision_state == "active", seconds=30)
        assert conductor.running
    finally:
        conductor.stop()
        store.close()
    messages = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    logged = [message for message in messages if CONNECTION_LOST in message or CONNECTION_BACK in message]
    assert all(CONNECTION_LOST in message for message in logged[::2]), "a loss is logged once, not at every heartbeat"
    assert all(CONNECTION_BACK in message for message in logged[1::2]), logged
    errors = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert set(errors) <= set(logged), "nothing else failed"
