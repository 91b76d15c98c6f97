"""One run: clients and faults in rounds; after each, the work is finished and the rows are checked."""

import itertools
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dibs.database.engines import timeouts
from faults.checker import check, read_work, unfinished
from faults.injection import Injector
from faults.observation import observe, observe_ids
from faults.plan import Fault, draw_faults, kinds_of
from faults.site import TAKE_OVER_SECONDS, Site
from faults.workload import claims, leases, machines
from faults.workload.client import NOT_ACCEPTED, Client, Draw, Record, run_client
from faults.workload.memory import Memory
from tests import fleet
from tests.bed.waiting import eventually
from tests.laws import read_tables

FINISH_SECONDS = TAKE_OVER_SECONDS + timeouts.ANSWER_SECONDS + 10
"""All work is finished within this time after the last fault: a take-over, the wait for a silent connection, and some
for a busy machine."""

DRAWS: dict[Draw, int] = {
    claims.claim: 6,
    claims.move: 4,
    claims.swap: 3,
    claims.release: 4,
    claims.look: 2,
    claims.reshape: 1,
    machines.create_node: 3,
    machines.patch_node: 3,
    machines.set_traits: 2,
    machines.provision: 5,
    machines.delete_node: 2,
    machines.hold: 2,
    machines.drop_hold: 2,
    machines.allocate: 3,
    machines.drop_allocation: 3,
    machines.allocate_batch: 1,
    machines.drop_of_batch: 1,
    leases.create_lease: 2,
    leases.extend_lease: 1,
    leases.delete_lease: 1,
    leases.launch: 2,
    leases.delete_server: 1,
}
"""What clients do, and how often."""


@dataclass(frozen=True)
class Options:
    """What to run; ``faults`` is the number of faults of all rounds together."""

    engine: str
    seed: int
    seconds: float
    clients: int
    faults: int
    kinds: Sequence[str] = ()
    """Empty: every kind."""
    round_seconds: float = 60.0
    """After this time the clients pause until all work is finished, and the rows are checked."""
    bug: str = ""

    @property
    def rounds(self) -> int:
        """The number of rounds."""
        return max(1, round(self.seconds / self.round_seconds))


@dataclass
class Outcome:
    """What a run found, over all of its rounds."""

    operations: int = 0
    """Requests that an API accepted."""
    acknowledged: int = 0
    unclear: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)
    longest_stall: float = 0.0
    """The longest time in which no client got a success."""
    longest_answer: float = 0.0
    finished_after: float = 0.0
    """The longest time from the last fault of a round until all work was finished."""

    def add(self, records: Sequence[Record], stopped_at: float) -> None:
        """Count the requests of a round; after its end, clients only finish what they had begun."""
        successes = [record.at + record.seconds for record in records if record.acknowledged]
        during = sorted(at for at in successes if at <= stopped_at)
        gaps = (later - earlier for earlier, later in itertools.pairwise(during))
        self.operations += sum(record.status != NOT_ACCEPTED for record in records)
        self.acknowledged += len(successes)
        self.unclear += sum(record.unclear for record in records)
        self.longest_stall = max(self.longest_stall, *gaps, 0.0)
        self.longest_answer = max(self.longest_answer, *(record.seconds for record in records), 0.0)


def _say_nothing(_: int, __: Outcome) -> None:
    """Report nothing: the default."""


def run(options: Options, folder: Path, report: Callable[[int, Outcome], None] = _say_nothing) -> Outcome:
    """Run rounds on a new site until one has violations: clients under faults, the end of all work, the check.

    ``report`` is called after each round with its number and the outcome so far.
    """
    outcome = Outcome()
    site = Site(options.engine, folder, options.kinds or kinds_of(options.engine), bug=options.bug)
    try:
        site.wait_until_ready()
        crowd = prepare(site, options)
        for turn in range(options.rounds):
            seconds, count = options.seconds / options.rounds, options.faults // options.rounds
            plan = draw_faults(options.seed, options.engine, count, seconds, options.kinds, turn)
            stopped_at = operate(site, crowd, plan, seconds, outcome)
            conclude(site, crowd, outcome)
            outcome.add([record for client in crowd for record in client.records], stopped_at)
            write_records(crowd, folder / f"records-{turn}.jsonl")
            report(turn + 1, outcome)
            if outcome.violations:
                break
    finally:
        site.close()
    return outcome


def prepare(site: Site, options: Options) -> list[Client]:
    """Create what the clients share and what each of them owns; return the clients."""
    fleet.fill(site.database.direct_url, machines.FLEET)
    began = time.monotonic()
    ports = [api.port for api in site.apis]
    crowd = [Client(ports, Memory(options.seed, number), began) for number in range(options.clients)]
    claims.prepare_pool(crowd[0])
    leases.prepare_hosts(crowd[0])
    for client in crowd:
        claims.prepare_trees(client)
        client.records.clear()
    return crowd


def operate(site: Site, crowd: Sequence[Client], plan: Sequence[Fault], seconds: float, outcome: Outcome) -> float:
    """Let the clients work until the time is over and the last fault has ended; return when they were told to stop."""
    stopping = threading.Event()
    injector = Injector(site, plan)
    threads = [threading.Thread(target=run_client, args=(client, DRAWS, stopping), daemon=True) for client in crowd]
    for thread in threads:
        thread.start()
    injector.start()
    try:
        time.sleep(seconds)
        injector.join()
    finally:
        stopping.set()
        stopped_at = time.monotonic() - crowd[0].began
        for thread in threads:
            thread.join()
    outcome.faults += injector.done
    return stopped_at


def conclude(site: Site, crowd: Sequence[Client], outcome: Outcome) -> None:
    """Wait until the work is finished, check what remains, and let the clients learn what became of their requests."""
    ended = time.monotonic()
    try:
        site.wait_until_ready()
        eventually(lambda: not _left_to_do(site), FINISH_SECONDS, "the end of all work")
    except AssertionError as error:
        outcome.violations += [f"{error}: {left}" for left in _left_to_do(site)] or [str(error)]
    outcome.finished_after = max(outcome.finished_after, time.monotonic() - ended)
    tables = read_tables(site.database.direct_url)
    outcome.violations += check(site.database.direct_url, tables, crowd)
    found, ids = observe(tables, len(crowd)), observe_ids(tables)
    for client in crowd:
        client.memory.resolve(found, ids)


def _left_to_do(site: Site) -> list[str]:
    return unfinished(read_work(site.database.direct_url))


def write_records(crowd: Sequence[Client], path: Path) -> None:
    """Write every request of a round with its answer as lines of JSON."""
    records = sorted((record for client in crowd for record in client.records), key=lambda record: record.at)
    path.write_text("".join(f"{record.line()}\n" for record in records))
    for client in crowd:
        client.records.clear()


def new_folder() -> Path:
    """Create the folder of a run, for its logs and records."""
    return Path(tempfile.mkdtemp(prefix="dibs-faults-"))
