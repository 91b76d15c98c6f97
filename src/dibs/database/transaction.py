"""A running transaction, and the statements that run in it.

Statements are SQLAlchemy Core constructs, built once at import, compiled once per engine, and run on the driver's
cursor. That takes half the CPU time of SQLAlchemy's execution for a claim.
"""

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any, NamedTuple

from sqlalchemy.sql.base import Executable
from sqlalchemy.sql.compiler import SQLCompiler

from dibs.database.columns import CLEAR
from dibs.database.engines import Engine
from dibs.database.hooks import NO_HOOKS

PARAMETERS_MAX = 200_000
"""Parameters of all statements that are kept compiled: this, not their number, decides how much memory they take."""

Row = dict[str, Any]
Notes = dict[Any, Any]


class Duplicate(Exception):
    """A row violates a unique constraint, whose name is ``constraint``."""

    def __init__(self, constraint: str) -> None:
        super().__init__(constraint)
        self.constraint = constraint


class Again(Exception):
    """The transaction conflicts with a concurrent one and must be retried."""


class NotAlone(Exception):
    """A read that should be a single SELECT has another statement, which needs the same snapshot."""


class Compiled(NamedTuple):
    """SQL text, the values that are part of the statement, and the names of the returned columns."""

    sql: str
    fixed: Mapping[str, Any]
    columns: tuple[str, ...]
    positions: tuple[str, ...] | None = None
    """The names of the parameters in their order; None for a driver that takes them by name."""

    def bind(self, parameters: Mapping[str, Any] | None) -> Mapping[str, Any] | list[Any]:
        """Return the values of all parameters as the driver takes them."""
        named = {**self.fixed, **(parameters or {})}
        return named if self.positions is None else [named[name] for name in self.positions]


class Compiler:
    """Compiles statements for one engine at first use, and caches them."""

    def __init__(self, engine: Engine) -> None:
        self._dialect = engine.dialect
        self._compiled: dict[Executable, Compiled] = {}
        self._parameters = 0

    def compile(self, statement: Executable) -> Compiled:
        """Return the compiled statement. The memory for them is bounded; the cache is cleared if it overflows."""
        compiled = self._compiled.get(statement)
        if compiled is None:
            compiled = self._compile(statement)
            if self._parameters > PARAMETERS_MAX:
                self._compiled.clear()
                self._parameters = 0
            self._compiled[statement] = compiled
        return compiled

    def _compile(self, statement: Executable) -> Compiled:
        compiled = statement.compile(dialect=self._dialect)  # type: ignore[attr-defined]
        assert isinstance(compiled, SQLCompiler)
        fixed = {
            name: bind.effective_value
            for name, bind in compiled.binds.items()
            if not bind.required and name in compiled.bind_names.values()
        }
        self._parameters += len(compiled.binds)
        columns = tuple(entry.keyname for entry in compiled._result_columns)
        positions = tuple(compiled.positiontup or ()) if compiled.positional else None
        return Compiled(str(compiled), fixed, columns, positions)


_compilers: dict[str, Compiler] = {}


def compiler_of(engine: Engine) -> Compiler:
    """Return the compiler of an engine. The stores of a process share it, so each statement is compiled once."""
    return _compilers.setdefault(engine.name, Compiler(engine))


class Transaction:
    """A running transaction, the only thing that an operation may touch. It cannot begin, commit or roll back."""

    def __init__(
        self, cursor: Any, compiler: Compiler, engine: Engine, memory: dict[str, Any], *, alone: bool = False
    ) -> None:
        self._cursor = cursor
        self._alone = alone
        self._compiler = compiler
        self._engine = engine
        self._memory = memory
        self._remembered: dict[str, Any] = {}
        self._at_end: dict[Callable[[Transaction, Notes], None], Notes] = {}
        self.statements = 0
        """Number of statements run. Tests check that it does not grow with the data."""
        self.longest_change = 0.0
        """The seconds of the slowest statement that changed rows; on a server, most of them are a wait for locks."""
        self.hooks = NO_HOOKS
        """The hooks that the wiring registered; the runner sets them."""
        self.vault = CLEAR
        """Encrypts the secrets that queries write; the runner sets it."""
        self.events: list[object] = []
        """Published events. The runner notifies the listeners after the commit, and drops the events on a rollback."""
        self.recorded: list[object] = []
        """Recorded changes. The runner writes them in this transaction, before the commit (docs/adr/0014)."""

    def rows(self, statement: Executable, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        """Run a query and return every row."""
        compiled = self._run(statement, parameters)
        columns = compiled.columns
        return [dict(zip(columns, row, strict=True)) for row in self._cursor.fetchall()]

    def row(self, statement: Executable, parameters: Mapping[str, Any] | None = None) -> Row | None:
        """Run a query that returns at most one row."""
        rows = self.rows(statement, parameters)
        return rows[0] if rows else None

    def values(self, statement: Executable, parameters: Mapping[str, Any] | None = None) -> list[Any]:
        """Run a query of one column and return that column."""
        self._run(statement, parameters)
        return [row[0] for row in self._cursor.fetchall()]

    def tuples(self, statement: Executable, parameters: Mapping[str, Any] | None = None) -> list[tuple[Any, ...]]:
        """Run a query and return the tuples of the driver: faster for thousands of rows of two or three columns."""
        self._run(statement, parameters)
        return list(self._cursor.fetchall())

    def change(self, statement: Executable, parameters: Mapping[str, Any] | None = None) -> int:
        """Run an INSERT, UPDATE or DELETE and return the number of matched rows."""
        began = perf_counter()
        self._run(statement, parameters)
        self.longest_change = max(self.longest_change, perf_counter() - began)
        return int(self._cursor.rowcount)

    def publish(self, event: object) -> None:
        """Notify the listeners in this process of the event after the commit."""
        self.events.append(event)

    def record(self, event: object | None) -> None:
        """Write an event about a change together with the change; None records nothing."""
        if event is not None:
            self.recorded.append(event)

    def at_end(self, write: Callable[["Transaction", Notes], None]) -> Notes:
        """Return the notes with which ``write`` is called as the last step before the commit.

        What all transactions lock is locked last, in one statement, so that they hold the lock for a short time.
        """
        return self._at_end.setdefault(write, {})

    def finish(self) -> None:
        """Write the notes. The store calls this before the commit."""
        waiting, self._at_end = self._at_end, {}
        for write, notes in waiting.items():
            write(self, notes)

    def recall(self, name: str) -> Any:
        """Return what this transaction, or an earlier one of the store, remembered; None when there is nothing."""
        return self._remembered.get(name, self._memory.get(name))

    def remember(self, name: str, value: object) -> None:
        """Keep an immutable value in the memory of the process for later transactions, if this one commits."""
        self._remembered[name] = value

    def committed(self) -> None:
        """Let other transactions recall what this one remembered. The store calls this after the commit."""
        self._memory.update(self._remembered)

    def _run(self, statement: Executable, parameters: Mapping[str, Any] | None) -> Compiled:
        compiled = self._compiler.compile(statement)
        if self._alone and (self.statements or not compiled.sql.startswith("SELECT")):
            # The read runs again from the start: its statements count once.
            self.statements = 0
            raise NotAlone
        self.statements += 1
        try:
            self._cursor.execute(compiled.sql, compiled.bind(parameters))
        except Exception as error:
            constraint = self._engine.duplicate(error)
            if constraint is None:
                raise
            raise Duplicate(constraint) from error
        return compiled
