"""What the demo prints."""

import json
import sys
from typing import Any


def progress(what: str, done: int, of: int) -> None:
    """Print the progress: a changing line on a terminal, otherwise the last step only."""
    if sys.stdout.isatty():
        print(f"\r  {done:3} of {of} {what}", end="" if done < of else "\n", flush=True)
    elif done == of:
        print(f"  {done:3} of {of} {what}", flush=True)


def heading(text: str) -> None:
    """Print the heading of a section."""
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n{text}", flush=True)


def quote(document: Any) -> str:
    """Return a document as one line of JSON."""
    return json.dumps(document)
