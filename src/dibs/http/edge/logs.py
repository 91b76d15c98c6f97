"""Log to stderr, one line per event: JSON for log collectors, text for a terminal."""

import datetime
import json
import logging
import sys
from typing import Any
from urllib.parse import unquote

import msgspec
from msgspec import Struct

from dibs.access.request_id import REQUEST_ID
from dibs.http.messages import Mounted

ACCESS = logging.getLogger("dibs.access")

PATH_LENGTH_MAX = 1_000
MASK = "***"


class AccessLine(Struct, frozen=True, kw_only=True):
    """The message about one request; in JSON its fields are members of the line as well."""

    method: str
    path: str
    status: int
    milliseconds: float
    user: str | None
    project: str | None

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.status} {self.milliseconds:.1f} ms"


class RequestIdFilter(logging.Filter):
    """Adds the id of the current request to every record, of any logger."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Add the id; keep every record."""
        record.request_id = REQUEST_ID.get()
        return True


class JsonFormatter(logging.Formatter):
    """One JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as JSON."""
        line: dict[str, Any] = {
            "time": datetime.datetime.fromtimestamp(record.created, datetime.UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "request_id": getattr(record, "request_id", "-"),
            "message": record.getMessage(),
        }
        if isinstance(record.msg, AccessLine):
            line |= msgspec.structs.asdict(record.msg)
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        try:
            return msgspec.json.encode(line).decode()
        except UnicodeEncodeError:
            # The name of a file may contain a lone surrogate, which only an escape can represent.
            return json.dumps(line)


class TextFormatter(logging.Formatter):
    """A line for a terminal. Line breaks in a message are escaped, so that no client can forge a line."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:
        """Return the first line of the record."""
        return super().formatMessage(record).replace("\r", "\\r").replace("\n", "\\n")


def loggable_path(raw_path: bytes, dialect: Mounted | None) -> str:
    """Return a path for the log: shortened, and without the secrets that the dialect has in its paths."""
    parts = raw_path[:PATH_LENGTH_MAX].decode("latin-1").split("/")
    if dialect is not None:
        for before, noun in enumerate(parts[:-1]):
            if unquote(noun) in dialect.secret_nouns and parts[before + 1]:
                parts[before + 1] = MASK
    return "/".join(parts)


def configure_logs(log_format: str, level: str) -> None:
    """Send everything to stderr. ``auto`` is text on a terminal and JSON elsewhere."""
    if log_format == "auto":
        log_format = "text" if sys.stderr.isatty() else "json"
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if log_format == "json" else TextFormatter())
    handler.addFilter(RequestIdFilter())
    _skip_what_no_line_shows()
    root = logging.getLogger()
    root.handlers[:] = [handler]
    logging.getLogger("dibs").setLevel(level.upper())
    # Libraries are verbose at INFO; only their warnings and errors matter.
    root.setLevel(max(logging.getLogger("dibs").level, logging.WARNING))


def _skip_what_no_line_shows() -> None:
    """Tell logging not to find the calling function, thread and process of each line, as its documentation advises.

    Every request has an access line, and to find these costs more than to write it.
    """
    logging._srcfile = None
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
