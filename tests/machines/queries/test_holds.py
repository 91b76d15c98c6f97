from dibs.access.access import EVERY_PROJECT
from dibs.machines.queries import holds
from tests.hold_builders import BLUE, RED, hold


def pages(ledger, projects, **options):
    values = {"after_id": 0, "limit": 10, **options}
    now = values.pop("now", ledger.clock())
    return [each.uuid for each in ledger.run(lambda tx: holds.page(tx, now, projects=projects, **values))]


def test_a_page_has_the_holds_of_the_visible_projects(ledger):
    blue = [hold(ledger, ledger.enrol(), access=BLUE).uuid for _ in range(2)]
    red = hold(ledger, ledger.enrol(), access=RED).uuid
    assert pages(ledger, EVERY_PROJECT) == pages(ledger, frozenset({"blue", "red"})) == [*blue, red]
    assert pages(ledger, frozenset({"blue"})) == blue
    assert pages(ledger, frozenset()) == []
    assert pages(ledger, EVERY_PROJECT, limit=1) == blue[:1]


def test_expired_holds_are_in_no_page_but_in_the_list_of_the_expired(ledger):
    first, second = (hold(ledger, ledger.enrol(), seconds=seconds) for seconds in (20, 10))
    later = second.expires_at
    assert pages(ledger, EVERY_PROJECT, now=later) == [first.uuid]
    assert ledger.run(lambda tx: holds.expired(tx, later, 10)) == [second.uuid]
    assert ledger.run(lambda tx: holds.expired(tx, first.expires_at, 10)) == [second.uuid, first.uuid]
    assert ledger.run(lambda tx: holds.expired(tx, first.expires_at, 1)) == [second.uuid]


def test_a_hold_is_found_by_node_and_by_instance(ledger):
    made = hold(ledger, ledger.enrol())
    assert ledger.run(lambda tx: holds.of_node(tx, made.node_id)) == made
    assert ledger.run(lambda tx: holds.for_instance(tx, made.instance_uuid)) == made
    ledger.run(lambda tx: holds.remove_from(tx, [made.node_id]))
    assert ledger.run(lambda tx: holds.get(tx, made.uuid)) is None
