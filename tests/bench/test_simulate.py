"""The simulation of large sites obeys the arithmetic of its input."""

import random

import pytest

from bench.simulate import KINDS, PEAK, Layout, simulate

SMALL = Layout(machines=20_000, regions=1, processes=4, database_cores=4)


def test_utilisation_is_the_product_of_rate_and_cost() -> None:
    found = simulate(SMALL, 20, random.Random(1))
    per_second = sum(kind.per_machine_hour for kind in KINDS) * SMALL.machines * PEAK / 3_600
    busy = sum(kind.per_machine_hour * kind.server for kind in KINDS) * SMALL.machines * PEAK / 3_600 / 1_000
    assert found.per_second == pytest.approx(per_second, rel=0.05)
    assert found.api == pytest.approx(busy / SMALL.processes, rel=0.1)


def test_region_is_a_site_of_its_share_of_the_machines() -> None:
    region = Layout(machines=200_000, regions=10, processes=4, database_cores=4)
    whole, part = (simulate(layout, 20, random.Random(1)) for layout in (SMALL, region))
    assert part.per_second == whole.per_second
    assert part.p50 > whole.p50


def test_replicas_answer_the_reads_that_may_be_older_than_the_last_write() -> None:
    found = simulate(
        Layout(machines=20_000, regions=1, processes=4, database_cores=4, replicas=1), 20, random.Random(1)
    )
    assert found.replica > 0
    assert 0 < found.primary < simulate(SMALL, 20, random.Random(1)).primary
    assert 0 < found.reads_on_primary < 0.2


def test_too_few_processes_let_requests_wait() -> None:
    few, enough = (Layout(machines=60_000, regions=1, processes=count, database_cores=4) for count in (1, 4))
    assert simulate(few, 20, random.Random(1)).p99 > 10 * simulate(enough, 20, random.Random(1)).p99
