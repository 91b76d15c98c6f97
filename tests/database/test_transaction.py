"""Statements are compiled once per engine."""

import pytest
from sqlalchemy import literal, make_url, select

from dibs.database import Store, open_store, sets, transaction
from dibs.database.engines.sqlite import SQLite
from dibs.database.transaction import Compiler, Notes, Transaction
from dibs.machines.tables import conductors


def test_statement_is_compiled_once_for_all_stores_of_a_process(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = []
    compile_statement = Compiler._compile
    monkeypatch.setattr(Compiler, "_compile", lambda self, one: compiled.append(one) or compile_statement(self, one))
    statement = select(literal(1))
    for _ in range(2):
        store = open_store(database_url)
        assert store.read(lambda tx: tx.values(statement)) == [1]
        store.close()
    assert compiled == [statement]


def test_compiled_statements_take_a_bounded_amount_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transaction, "PARAMETERS_MAX", 100)
    compiler = Compiler(SQLite(make_url("sqlite:///x")))
    for _ in range(20):
        compiler.compile(select(conductors.c.id).where(conductors.c.id.in_(sets.binds("id", 10))))
        assert sum(len(compiled.sql.split("id_")) - 1 for compiled in compiler._compiled.values()) <= 110
    assert len(compiler._compiled) > 1


def test_only_committed_transactions_are_remembered(store: Store) -> None:
    def fail(tx: Transaction) -> None:
        tx.remember("answer", 41)
        assert tx.recall("answer") == 41
        raise LookupError

    for run in (store.write, store.read):
        with pytest.raises(LookupError):
            run(fail)
        assert store.read(lambda tx: tx.recall("answer")) is None
    for number, run in enumerate((store.write, store.read)):
        run(lambda tx, number=number: tx.remember("answer", number))
        assert store.read(lambda tx: tx.recall("answer")) == number


# SQLite commits several transactions together: tests/database/test_embedded.py.
@pytest.mark.server_engines
def test_nothing_is_remembered_of_a_transaction_whose_commit_failed(store: Store) -> None:
    with pytest.MonkeyPatch.context() as patch:

        def remember(tx: Transaction) -> None:
            tx.remember("answer", 42)
            patch.setattr(tx._cursor.connection, "commit", lambda: [].pop())

        with pytest.raises(IndexError):
            store.write(remember)
    assert store.read(lambda tx: tx.recall("answer")) is None


def test_notes_are_written_once_after_the_body(store: Store) -> None:
    steps: list[object] = []

    def write(tx: Transaction, notes: Notes) -> None:
        steps.append(dict(notes))

    def body(tx: Transaction) -> None:
        tx.at_end(write)["first"] = 1
        tx.at_end(write)["second"] = 2
        steps.append("body")

    store.write(body)
    assert steps == ["body", {"first": 1, "second": 2}]
