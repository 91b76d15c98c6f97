"""The limits of one server process."""

from msgspec import Struct


class Limits(Struct, frozen=True, kw_only=True):
    """All limits of the HTTP edge: sizes, times, and the share of one caller. The module that applies one explains it.

    The fields with a setting of the same name are the operator's; the constants below follow from them.
    """

    threads: int = 16
    """Number of requests that run at the same time."""
    queue_limit: int = 128
    """Number of requests that may wait for a thread; further requests get 503."""
    caller_limit: int = 100
    """Number of requests that one caller may have at the same time; further requests get 429. 0: no limit."""
    connection_limit: int = 800
    """Number of open connections; further connections get 503. Below the usual limit of 1,024 open files."""
    body_limit_bytes: int = 4 * 1024 * 1024
    body_timeout_seconds: float = 30
    """Time for a client to send a body, and to read a response."""
    header_limit_bytes: int = 64 * 1024
    header_timeout_seconds: float = 10
    keep_alive_seconds: float = 75

    @property
    def threads_of_caller(self) -> int:
        """Return how many threads one caller may use, so that another caller's request finds one free."""
        return max(1, self.threads // 4) if self.caller_limit else self.threads

    @property
    def threads_of_expensive(self) -> int:
        """Return how many threads all callers of expensive requests share."""
        return max(1, self.threads // 16) if self.caller_limit else self.threads

    @property
    def uploads_of_caller(self) -> int:
        """Return how many large bodies one caller may send at the same time; further ones wait."""
        return 2 if self.caller_limit else self.threads + self.queue_limit

    @property
    def streams_of_caller(self) -> int:
        """Return how many event streams one caller may have at the same time; further ones get 429. 0: no limit."""
        return 10 if self.caller_limit else 0

    @property
    def connections_of_address(self) -> int:
        """Return how many connections one address may have."""
        return max(1, self.connection_limit // 2)

    @property
    def buffered_bytes_max(self) -> int:
        """Return the total size of buffered bodies, which keeps many large bodies from filling the memory."""
        return self.body_limit_bytes * self.threads

    @property
    def buffered_bytes_of_caller(self) -> int:
        """Return the share of one caller in these bytes: at least one body, whatever others send."""
        share = self.buffered_bytes_max // 4 if self.caller_limit else self.buffered_bytes_max
        return max(self.body_limit_bytes, share)


REFUSAL_PAUSE_SECONDS = 1
"""How long the answer to a caller over its limit waits at least, and the value of its Retry-After header."""
REFUSALS_PER_SECOND_MAX = 25
"""Number of refusals per second and address: with more connections, each of them waits longer for its refusal."""

SWITCH_SECONDS = 0.0001
"""How long a thread that computes keeps the interpreter from the others; Python's default is 5 ms.

A request waits for its turn after each SQL statement: with the default, one thread that computes delays it by 200 ms.
Short turns cost no measurable throughput."""

EXPENSIVE_SECONDS = 0.01
"""The processor time from which on a request is expensive."""
LARGE_BODY_BYTES = 64 * 1024
"""The size from which on a body is large: what uvicorn buffers before it stops reading from a connection."""

PENDING_CHECKS_MAX = 100
"""Number of credentials that may wait to be verified; further requests get 503."""
PENDING_CHECKS_OF_ADDRESS_MAX = 8
"""Number of different credentials of one address that may wait to be verified; further requests get 429."""
FAILED_CHECKS_MAX = 30
"""Number of wrong credentials from one address, and for one name, in a window; further attempts get 429."""
FAILED_CHECKS_WINDOW_SECONDS = 60
