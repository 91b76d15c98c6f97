"""``dibs`` as a function: the application itself, in this process, against a running server."""

import io
import json
from dataclasses import dataclass
from typing import Any

from dibs.cli.main import Dibs


@dataclass(frozen=True)
class Told:
    """What a command said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed with ``-f json``."""
        assert self.code == 0, self.err
        return json.loads(self.out)


class Terminal(io.StringIO):
    """A stream that says of itself that somebody looks at it."""

    def isatty(self) -> bool:
        return True


def run(*words: str, url: str, stderr: io.StringIO | None = None) -> Told:
    """Run one command."""
    app = Dibs()
    app.stdout, app.stderr = io.StringIO(), stderr or io.StringIO()
    code = app.run(["--url", url, *words])
    return Told(code, app.stdout.getvalue(), app.stderr.getvalue())
