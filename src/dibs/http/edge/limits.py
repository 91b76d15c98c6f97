"""How much one server process takes on, and how long it waits for a client."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Every bound of the HTTP edge in one place."""

    threads: int = 16
    """Requests that run at once."""
    queue_limit: int = 128
    """Requests that may wait for a thread; more are turned away."""
    body_limit_bytes: int = 4 * 1024 * 1024
    body_timeout_seconds: float = 30
    """Longest time to send a body, and to take an answer off the wire."""
    header_limit_bytes: int = 64 * 1024
    header_timeout_seconds: float = 10
    keep_alive_seconds: float = 75

    @property
    def buffered_bytes_max(self) -> int:
        """Bytes of bodies held at once, so that many large ones cannot fill the memory together."""
        return self.body_limit_bytes * self.threads
