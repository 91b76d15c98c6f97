"""The limits of one server process."""

from msgspec import Struct


class Limits(Struct, frozen=True, kw_only=True):
    """All size and time limits of the HTTP edge."""

    threads: int = 16
    """Number of requests that run at the same time."""
    queue_limit: int = 128
    """Number of requests that may wait for a thread; further requests get 503."""
    body_limit_bytes: int = 4 * 1024 * 1024
    body_timeout_seconds: float = 30
    """Time for a client to send a body, and to read a response."""
    header_limit_bytes: int = 64 * 1024
    header_timeout_seconds: float = 10
    keep_alive_seconds: float = 75

    @property
    def buffered_bytes_max(self) -> int:
        """Return the total size of buffered bodies, which keeps many large bodies from filling the memory."""
        return self.body_limit_bytes * self.threads
