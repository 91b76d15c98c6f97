"""The secrets of nodes are encrypted in the database when there is a key."""

from uuid import uuid4

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import text

from dibs.access.access import EVERY_PROJECT, SERVICE
from dibs.database.columns import SEALED, Vault
from dibs.database.errors import SecretsLocked
from dibs.machines.model.node_query import NodeQuery
from dibs.machines.model.nodes import Node
from dibs.machines.model.parts.parts import PartKind
from dibs.machines.operations.parts import CreatePart, create_part
from dibs.machines.operations.secrets import TABLES, EncryptedRows, EncryptSecrets, encrypt_secrets
from dibs.machines.queries import conductors, node_pages, nodes, parts, tasks
from dibs.wiring.hooks import build_runner
from tests.builders import Ledger

KEYS = [Fernet.generate_key().decode() for _ in range(2)]
INFO = {"ipmi_password": "hunter2", "ipmi_address": "10.0.0.1"}


def give_keys(ledger: Ledger, *keys: str) -> None:
    ledger.runner = build_runner(ledger.store, ledger.clock, Vault(keys))


def stored(ledger: Ledger, column: str = "driver_info", table: str = "nodes") -> str:
    (value,) = ledger.store.read(lambda tx: tx.values(text(f"SELECT {column} FROM {table}")))
    return str(value)


def read(ledger: Ledger, node: Node) -> Node:
    found = ledger.run(lambda tx: nodes.get(tx, node.uuid))
    assert found is not None
    return found


def encrypt(ledger: Ledger) -> list[EncryptedRows]:
    commands = [EncryptSecrets(table=table, after_key=0) for table in TABLES]
    return [ledger.runner.write(encrypt_secrets, SERVICE, command) for command in commands]


def test_password_is_not_in_the_database(ledger: Ledger) -> None:
    give_keys(ledger, KEYS[0])
    node = ledger.enrol(driver_info=INFO)
    assert stored(ledger).startswith(SEALED)
    assert read(ledger, node).driver_info == INFO
    ledger.change(node, driver_info={**INFO, "ipmi_password": "changed"})
    assert stored(ledger).startswith(SEALED)
    assert read(ledger, node).driver_info["ipmi_password"] == "changed"


def test_list_of_nodes_shows_decrypted_values(ledger: Ledger) -> None:
    give_keys(ledger, KEYS[0])
    ledger.enrol(driver_info=INFO)
    query = NodeQuery(columns=frozenset({"driver_info"}), limit=10, projects=EVERY_PROJECT)
    page = ledger.run(lambda tx: node_pages.page(tx, query))
    assert page is not None
    assert page.columns["driver_info"] == [INFO]


def test_arguments_of_a_task_are_encrypted(ledger: Ledger) -> None:
    give_keys(ledger, KEYS[0])
    node = ledger.enrol()
    arguments = {"rescue_password": "hunter2"}
    ledger.run(
        lambda tx: tasks.queue(
            tx, node.id, conductor_id=conductors.every(tx)[0].id, work="rescue", arguments=arguments, now=1
        )
    )
    assert stored(ledger, "arguments", "node_tasks").startswith(SEALED)
    task = ledger.run(lambda tx: tasks.get(tx, node.id))
    assert task is not None
    assert task.arguments == arguments


def test_properties_of_a_volume_target_are_encrypted(ledger: Ledger) -> None:
    give_keys(ledger, KEYS[0])
    node = ledger.enrol(power_state="power off")
    values = {"volume_type": "iscsi", "volume_id": "v1", "boot_index": 0, "properties": {"auth_password": "hunter2"}}
    command = CreatePart(kind=PartKind.VOLUME_TARGET, uuid=str(uuid4()), node=node.uuid, values=values, rules=())
    made = ledger.runner.write(create_part, SERVICE, command)
    assert stored(ledger, "properties", "volume_targets").startswith(SEALED)
    assert ledger.run(lambda tx: parts.TABLES[PartKind.VOLUME_TARGET].get(tx, made.uuid)) == made


def test_clear_text_is_readable_and_can_be_encrypted(ledger: Ledger) -> None:
    node = ledger.enrol(driver_info=INFO)
    assert "hunter2" in stored(ledger)
    give_keys(ledger, KEYS[0])
    assert read(ledger, node).driver_info == INFO
    assert [done.count for done in encrypt(ledger)] == [1, 0, 0]
    assert "hunter2" not in stored(ledger)
    assert read(ledger, node).driver_info == INFO


def test_key_can_be_replaced(ledger: Ledger) -> None:
    give_keys(ledger, KEYS[0])
    node = ledger.enrol(driver_info=INFO)
    give_keys(ledger, KEYS[1], KEYS[0])
    encrypt(ledger)
    give_keys(ledger, KEYS[1])
    assert read(ledger, node).driver_info == INFO


def test_encrypted_secret_without_its_key_is_an_error(ledger: Ledger) -> None:
    give_keys(ledger, KEYS[0])
    node = ledger.enrol(driver_info=INFO)
    give_keys(ledger)
    with pytest.raises(SecretsLocked):
        read(ledger, node)
