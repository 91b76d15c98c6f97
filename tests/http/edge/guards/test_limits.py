from dibs.http.edge.guards.limits import REFUSAL_PAUSE_SECONDS, refusal_pause


def test_refused_clients_are_not_answered_all_at_the_same_time() -> None:
    pauses = sorted(refusal_pause() for _ in range(100))
    assert pauses[0] >= REFUSAL_PAUSE_SECONDS
    assert pauses[-1] - pauses[0] > REFUSAL_PAUSE_SECONDS / 2
