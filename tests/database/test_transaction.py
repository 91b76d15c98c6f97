"""Statements are compiled once per engine."""

import pytest
from sqlalchemy import literal, select

from dibs.database import open_store
from dibs.database.transaction import Compiler


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
