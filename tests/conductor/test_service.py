"""A running conductor as a whole: stop, restart, and a database that is lost for a while."""

from tests.bed.waiting import eventually
from tests.conductor.fakes import LONG, Absence, Quick, Slow, arrive, ask, conductor_alive


def test_stop_interrupts_the_work_and_the_next_start_begins_it_anew(ledger, start):
    node = ledger.enrol(driver_info={"fake_delay_deploy": LONG})
    first = start(driver=(driver := Slow()))
    ask(ledger, node, "active")
    driver.begun.wait(10)
    first.stop()
    assert not conductor_alive(ledger, "conductor-1")
    assert (ledger.node(node).provision_state, ledger.node(node).reservation) == ("deploying", "conductor-1")
    start(driver=Quick())
    arrive(ledger, node, "active")


def test_short_loss_of_the_database_only_delays_the_work(ledger, start):
    absence = Absence(ledger)
    start(runner=absence.runner)
    nodes = [ledger.enrol() for _ in range(3)]
    absence.set()
    for node in nodes:
        ask(ledger, node, "active")
    eventually(lambda: absence.refusals > 5)
    absence.clear()
    for node in nodes:
        arrive(ledger, node, "active")
