from dibs.machines.queries import conductors

FIRST, SECOND = "11111111-2222-4333-8444-555555555501", "11111111-2222-4333-8444-555555555502"


def register(ledger, incarnation, now):
    ledger.run(
        lambda tx: conductors.register(
            tx,
            "web",
            group="north",
            drivers=("b", "a"),
            incarnation=incarnation,
            rpc_url=None,
            alive_until=now + 10,
            now=now,
        )
    )


def test_a_second_registration_replaces_the_first_and_keeps_its_row(ledger):
    register(ledger, FIRST, 5)
    first = ledger.run(lambda tx: conductors.get(tx, "web"))
    assert (first.conductor_group, first.drivers, first.online, first.created_at) == ("north", ("a", "b"), True, 5)
    register(ledger, SECOND, 7)
    second = ledger.run(lambda tx: conductors.get_by_incarnation(tx, SECOND))
    assert (second.id, second.created_at, second.heartbeat_at, second.alive_until) == (first.id, 5, 7, 17)
    assert ledger.run(lambda tx: conductors.get_by_incarnation(tx, FIRST)) is None
    assert ledger.run(lambda tx: conductors.get_by_id(tx, first.id)) == second


def test_only_the_registered_incarnation_records_heartbeats(ledger):
    register(ledger, FIRST, 5)
    record = lambda incarnation: ledger.run(  # noqa: E731
        lambda tx: conductors.record_heartbeat(tx, incarnation, online=False, alive_until=99, now=9)
    )
    assert (record(SECOND), record(FIRST)) == (False, True)
    after = ledger.run(lambda tx: conductors.get(tx, "web"))
    assert (after.online, after.heartbeat_at, after.alive_until) == (False, 9, 99)
