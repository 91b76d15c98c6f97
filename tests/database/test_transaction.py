"""Statements are compiled once per engine."""

import pytest
from sqlalchemy import literal, make_url, select

from dibs.database import open_store, sets, transaction
from dibs.database.engines.sqlite import SQLite
from dibs.database.transaction import Compiler
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
