"""Answers that are no resources: nobody can change or delete them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Why:
    """Why can I not have it, and when could I."""

    fits: bool
    """Whether there is enough at this moment."""
    free: int
    """How many nodes can be had, or hosts that the lease would have."""
    reasons: Mapping[str, int]
    """How many cannot be had, by the first thing that speaks against them: ``in_use``, ``lacks:CUSTOM_GPU`` …"""
    text: str
    """All of it in words."""
    earliest: datetime | None
    """When there will be enough, as far as that is known."""

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> "Why":
        """From the server's answer."""
        earliest = document["earliest"]
        return cls(
            fits=document["fits"],
            free=document["free"] if "free" in document else document["hosts"],
            reasons=document["reasons"],
            text=document["text"],
            earliest=None if earliest is None else datetime.fromisoformat(earliest),
        )


@dataclass(frozen=True, slots=True)
class Candidate:
    """One provider that has part of what was asked for; those of one number belong together."""

    number: int
    provider: str
    resources: Mapping[str, int]
    """How much of each class would come from it."""
    free: Mapping[str, int]
    """How much of each class it has left."""
    traits: tuple[str, ...]
