"""Results of queries: values that are not resources, so they have no identity and cannot be changed."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct, convert


class Offer(Struct, frozen=True):
    """What is available instead: a request that succeeds if it is sent immediately."""

    kind: str
    """What it changes: ``later``, ``shorter``, ``fewer``, ``without`` or ``class``."""
    text: str
    """The change, such as "ask for 2 instead of 3"."""
    request: Mapping[str, Any]
    """Method, path and body of the request."""
    command: str
    """The command line with the same effect."""


class Why(Struct, frozen=True):
    """Whether nodes or hosts are available, why not, when they will be, and the alternatives. True if they are."""

    fits: bool
    """True if enough nodes or hosts are available now."""
    free: int
    """The number of available nodes, or of hosts that the lease would get."""
    reasons: Mapping[str, int]
    """The number of unavailable nodes by their first reason: ``in_use``, ``lacks:CUSTOM_GPU`` …"""
    text: str
    """The explanation as a sentence."""
    earliest: datetime | None
    """When enough will be available, if that is known."""
    offers: tuple[Offer, ...] = ()
    """What is available instead."""

    def __bool__(self) -> bool:
        return self.fits

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> "Why":
        """Return the result in a response of the server."""
        earliest = document["earliest"]
        return cls(
            fits=document["fits"],
            free=document["free"] if "free" in document else document["hosts"],
            reasons=document["reasons"],
            text=document["text"],
            earliest=None if earliest is None else datetime.fromisoformat(earliest),
            offers=tuple(Offer(**offer) for offer in document.get("offers", ())),
        )


class NodeReason(Struct, frozen=True):
    """Why one node is not available."""

    uuid: str
    name: str | None
    reason: str | None
    """A code such as ``in_use``; None for a free node."""
    until: datetime | None
    """When it is free, if that is known."""
    blocked_by: Mapping[str, Any] | None
    """What occupies it: kind and end, and what else the caller may see."""


class NodeReasons(Struct, frozen=True):
    """The nodes of a class: those that are free, those that will be, and those that never are as they are now."""

    free: tuple[NodeReason, ...] = ()
    later: tuple[NodeReason, ...] = ()
    never: tuple[NodeReason, ...] = ()

    def with_page(self, document: Mapping[str, Any]) -> "NodeReasons":
        """Return it with the nodes in a response of the server."""
        pages = {
            name: (*getattr(self, name), *(convert(each, NodeReason) for each in document[name]))
            for name in self.__struct_fields__
        }
        return NodeReasons(**pages)


class LatestEnd(Struct, frozen=True):
    """How long an allocation or a lease can be kept at most."""

    end: datetime | None
    """When it ends now; None without an end."""
    latest: datetime | None
    """The latest end that it can have; None for any."""
    reason: str
    """Why not longer; empty when there is no limit."""

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> "LatestEnd":
        """Return the result in a response of the server."""
        end, latest = (
            None if document[name] is None else datetime.fromisoformat(document[name]) for name in ("end", "latest")
        )
        return cls(end=end, latest=latest, reason=document["reason"])


class FunnelStage(Struct, frozen=True):
    """The number of provider trees that remain after one condition of a query for candidates."""

    parameter: str
    """``resources``, ``required`` …; first ``total``, and last ``free``: what is not used."""
    value: str
    remaining: int


class Candidate(Struct, frozen=True):
    """One provider of an allocation candidate; providers with the same number belong to the same candidate."""

    number: int
    provider: str
    resources: Mapping[str, int]
    """The requested amount of each class on this provider."""
    free: Mapping[str, int]
    """The free capacity of each class on this provider."""
    traits: tuple[str, ...]
