"""Criteria: the traits or aggregates that a provider must have and must not have."""

from collections.abc import Collection

from msgspec import Struct


class Criteria(Struct, frozen=True, kw_only=True):
    """Required and forbidden names, of traits or of aggregates."""

    required: tuple[frozenset[str], ...] = ()
    """At least one name of each of these sets."""
    forbidden: frozenset[str] = frozenset()
    """None of these."""

    def __bool__(self) -> bool:
        return bool(self.required or self.forbidden)

    def met_by(self, names: Collection[str]) -> bool:
        """Return True when the names include what is required and nothing that is forbidden."""
        return self.forbidden.isdisjoint(names) and self.required_in(names)

    def required_in(self, names: Collection[str]) -> bool:
        """Return True when the names include what is required."""
        return all(not choice.isdisjoint(names) for choice in self.required)

    def names(self) -> frozenset[str]:
        """Return every name in these criteria."""
        return self.forbidden.union(*self.required)


ANYTHING = Criteria()
"""Criteria that every provider meets."""
