"""The servers of one database: a connection goes to the server that was used last, or to the next one that works."""

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from sqlalchemy import URL, make_url

Connection = TypeVar("Connection")

# As SQLAlchemy: a password may contain anything but @.
_HOSTS = re.compile(r"(?P<before>[^:]*://(?:[^:/]*(?::[^@]*)?@)?)(?P<hosts>[^/?]*)(?P<after>.*)", re.DOTALL)


class Unreachable(Exception):
    """No server of a database can be used; the message says why for each."""


def split_url(url: str) -> list[URL]:
    """Return a URL for each host of a database URL, which separates hosts by commas."""
    found = _HOSTS.fullmatch(url)
    if found is None or "," not in found["hosts"]:
        return [make_url(url)]
    hosts = [host.strip() for host in found["hosts"].split(",")]
    if not all(hosts):
        raise ValueError("a host is empty")
    return [make_url(found["before"] + host + found["after"]) for host in hosts]


class Servers:
    """Connects to one of several servers.

    All connections go to one server while it works: a server that is down costs its timeout once, not at each
    connection. The order of the hosts decides where a process begins.
    """

    def __init__(self, urls: Sequence[URL]) -> None:
        self.urls = urls
        self._current = 0

    @property
    def several(self) -> bool:
        """Return True when there is another server to fail over to."""
        return len(self.urls) > 1

    def connect(self, connect: Callable[[URL], Connection], unavailable: Callable[[Exception], bool]) -> Connection:
        """Return a connection to the first server, from the current one on, for which ``connect`` succeeds.

        An error that is not ``unavailable`` is raised at once: every server would refuse as this one does.
        """
        if not self.several:
            return connect(self.urls[0])
        reasons = []
        first = self._current
        for number in (*range(first, len(self.urls)), *range(first)):
            url = self.urls[number]
            try:
                connection = connect(url)
            except Exception as error:
                if not unavailable(error):
                    raise
                reasons.append(f"{url.host}{f':{url.port}' if url.port else ''}: {_text(error)}")
            else:
                self._current = number
                return connection
        raise Unreachable("; ".join(reasons))


def _text(error: Exception) -> str:
    """Return the first line of an error; PyMySQL has a number before its text, libpq more lines after it."""
    return str(error.args[-1] if error.args else error).partition("\n")[0].rstrip(".")
