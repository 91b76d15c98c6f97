"""How an attempt to find nodes for a queue entry ends."""

import enum


class Outcome(enum.Enum):
    """The end of an attempt, or of one of its steps."""

    SETTLED = "nothing is left to do: the entry has its nodes, has failed, or is no longer this conductor's"
    LOST = "another transaction took one of the nodes"
    RETRY = "the only nodes are locked or promised, which passes in a moment"
    WAITING = "the entry keeps its position in the queue"
    FAILED = "there are too few nodes, and the entry does not wait"
