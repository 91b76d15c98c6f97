"""A process that changes the structure of providers and hosts and searches it: ``restructuring DATABASE SEED ROUNDS``.

Each search compares what this process remembers with the tables, in one transaction. A difference ends the process with
an error.
"""

import random
import sys
import uuid
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from threading import Thread

from dibs.access.access import SERVICE
from dibs.candidates.model.index.structure import NOTHING, Structure
from dibs.candidates.queries import structure as loading
from dibs.database import Store, open_store
from dibs.database.runner import Runner
from dibs.database.transaction import Transaction
from dibs.errors import DibsError
from dibs.leases.operations.hosts import RegisterHost, UpdateHost, delete_host, list_hosts, register_host, update_host
from dibs.leases.queries.matching import fleet
from dibs.ledger.model.providers import ListedProvider, ProviderQuery
from dibs.ledger.operations.aggregates import SetAggregates, set_aggregates
from dibs.ledger.operations.inventories import SetInventories, Sizes, set_inventories
from dibs.ledger.operations.provider_traits import SetProviderTraits, set_provider_traits
from dibs.ledger.operations.providers import (
    ChangeProvider,
    CreateProvider,
    change_provider,
    create_provider,
    delete_provider,
    list_providers,
)
from dibs.ledger.queries import providers
from dibs.wiring.hooks import build_runner, read_clock
from tests.bed.forked import start_forked

THREADS = 2
ROUNDS = 10
COMMITS = 20
COMPARISONS_MAX = 20
TRAITS = ("HW_CPU_X86_VMX", "HW_CPU_X86_AVX", "STORAGE_DISK_SSD", "MISC_SHARES_VIA_AGGREGATE")
AGGREGATE = "11111111-1111-4111-8111-111111111111"

Content = dict[str, tuple[object, ...]]


def content(index: Structure) -> Content:
    """Return what an index has of each provider."""
    return {
        tree.uuids[position]: (tree.root_uuid, tree.parent_uuid(position), kind.stocks, kind.traits, kind.aggregates)
        for group in index.groups
        for tree in group.trees
        for position, kind in enumerate(tree.shape.kinds)
    }


def both(tx: Transaction) -> tuple[object, object]:
    """Return providers and hosts as this process remembers them, and as the transaction loads them from the tables."""
    remembered = content(loading.current_structure(tx)), fleet.every(tx).hosts
    return remembered, (content(Structure(loading._load(tx, NOTHING))), fleet._load(tx, fleet._NOTHING).fleet.hosts)


def compare(tx: Transaction) -> None:
    """Raise unless this process remembers what the transaction would load from the tables."""
    for _ in range(COMPARISONS_MAX):
        remembered, loaded = both(tx)
        if remembered == loaded:
            return
        # A writing transaction may see the commit of another one in between, but not each time.
    raise AssertionError(f"the index is old: {remembered} is now {loaded}")


def compare_once(tx: Transaction) -> None:
    """Raise unless both are the same at the first look, as they are in one snapshot."""
    remembered, loaded = both(tx)
    assert remembered == loaded, f"the index is old: {remembered} is now {loaded}"


def change(runner: Runner, chance: random.Random) -> None:
    """Make a random change; one that another process made impossible is left out."""
    present = runner.read(list_providers, SERVICE, ProviderQuery())
    new = str(uuid.UUID(int=chance.getrandbits(128), version=4))
    if len(present) < 4:
        runner.write(create_provider, SERVICE, CreateProvider(uuid=new, name=new))
        return
    chance.choice(_changes(runner, chance, chance.choice(present), chance.choice(present), new))()


def _changes(
    runner: Runner, chance: random.Random, chosen: ListedProvider, another: ListedProvider, new: str
) -> Sequence[Callable[[], object]]:
    provider, name, *_ = chosen
    other, *_ = another
    traits = SetProviderTraits(
        provider=provider, generation=None, traits=tuple(chance.sample(TRAITS, chance.randint(0, 3)))
    )
    sizes = {"VCPU": Sizes(total=chance.randint(1, 9), max_unit=9)} if chance.random() < 0.8 else {}
    move = ChangeProvider(
        uuid=provider,
        name=name,
        parent=chance.choice([None, other]),
        may_move_again=True,
    )
    groups = (AGGREGATE,) * chance.randint(0, 1)
    host = chance.choice(["1", *(str(each.id) for each in runner.read(list_hosts, SERVICE, None))])
    gpu = UpdateHost(id=host, properties={"gpu": chance.choice(["a100", "h100", None])})
    return (
        lambda: runner.write(register_host, SERVICE, RegisterHost(name=provider)),
        lambda: runner.write(update_host, SERVICE, gpu),
        lambda: runner.write(delete_host, SERVICE, host),
        lambda: runner.write(set_provider_traits, SERVICE, traits),
        lambda: runner.write(set_inventories, SERVICE, SetInventories(provider=provider, generation=None, sizes=sizes)),
        lambda: runner.write(
            set_aggregates, SERVICE, SetAggregates(provider=provider, generation=None, aggregates=groups)
        ),
        lambda: runner.write(change_provider, SERVICE, move),
        lambda: runner.write(create_provider, SERVICE, CreateProvider(uuid=new, name=new, parent=other)),
        lambda: runner.write(delete_provider, SERVICE, provider),
    )


def work(store: Store, seed: int, rounds: int, failures: list[BaseException]) -> None:
    """Change and compare, time after time."""
    runner, chance = build_runner(store, read_clock), random.Random(seed)
    try:
        for _ in range(rounds):
            try:
                change(runner, chance)
            except DibsError:
                continue
            finally:
                store.read(compare_once)
                if chance.random() < 0.3:
                    store.write(compare)
    except BaseException as error:
        failures.append(error)


def main(words: list[str]) -> int:
    """Run the threads of this process."""
    url, seed, rounds = words
    store = open_store(url)
    failures: list[BaseException] = []
    threads = [
        Thread(target=work, args=(store, int(seed) * THREADS + number, int(rounds), failures))
        for number in range(THREADS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.close()
    for failure in failures:
        sys.stderr.write(f"{failure!r}\n")
    return len(failures)


def run_processes(urls: Sequence[str], log: Path) -> str:
    """Run a process on each of these URLs at the same time; return what they complain about."""
    running = [start_forked("restructuring", url, str(seed), str(ROUNDS), log=log) for seed, url in enumerate(urls)]
    try:
        ends = [process.wait(300) for process in running]
    finally:
        for process in running:
            process.kill()
    return "" if not any(ends) else f"{ends} {log.read_text()}"


def search_after_each_commit(writing: str, searching: str) -> None:
    """Raise when a search through one store misses what another store has committed."""
    writer, reader = open_store(writing), open_store(searching)
    try:
        for number in range(COMMITS):
            new = str(uuid.uuid4())
            writer.write(partial(providers.insert_provider, uuid=new, name=new, now=1))
            found = content(reader.read(loading.current_structure))
            assert new in found, f"provider {number} is missing"
    finally:
        writer.close()
        reader.close()
