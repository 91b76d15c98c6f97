"""The key of the site, as sessions and forms use it."""

from dibs.access.access import SERVICE
from dibs.database.runner import Runner
from dibs.sessions.operations.site_keys import read_site_key


class SiteKey:
    """Returns the key, which is read once."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._key: bytes | None = None

    def __call__(self) -> bytes:
        if self._key is None:
            self._key = self._runner.read(read_site_key, SERVICE, None)
        return self._key
