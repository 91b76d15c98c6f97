from dibs.leases.model.outbox import FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS, pause_after
from dibs.leases.model.windows import SECOND


def test_pause_doubles_up_to_a_limit() -> None:
    pauses = [pause_after(attempts) // SECOND for attempts in range(4)]
    assert pauses == [FIRST_PAUSE_SECONDS * factor for factor in (1, 2, 4, 8)]
    assert pause_after(1_000) == LONGEST_PAUSE_SECONDS * SECOND
