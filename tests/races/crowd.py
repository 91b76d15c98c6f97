"""Run many callers at the same moment."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from dibs.database import Store, open_store
from dibs.wiring.hooks import build_runner
from tests.builders import Ledger

Answer = TypeVar("Answer")


def all_at_once(callers: int, call: Callable[[int], Answer]) -> list[Answer | Exception]:
    """Start every caller at the same moment; return the answer or the exception of each."""
    gate = threading.Barrier(callers)

    def run(number: int) -> Answer | Exception:
        gate.wait(timeout=30)
        try:
            return call(number)
        except Exception as error:
            return error

    with ThreadPoolExecutor(callers) as pool:
        return list(pool.map(run, range(callers)))


class Caller:
    """The part of a ledger that leases need, with its own store."""

    def __init__(self, store: Store, ledger: Ledger) -> None:
        self.store = store
        self.runner = build_runner(store, ledger.clock)


@contextlib.contextmanager
def open_callers(ledger: Ledger, database_url: str, count: int) -> Iterator[list[Caller]]:
    """Give each of several callers a store of its own."""
    stores = [open_store(database_url) for _ in range(count)]
    yield [Caller(store, ledger) for store in stores]
    for store in stores:
        store.close()
