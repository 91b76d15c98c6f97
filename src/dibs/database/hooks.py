"""Hooks that packages register with the packages below them.

A lower package defines a class of hooks and calls every registered instance of it; the packages above subclass it; the
wiring registers the instances. So the ledger runs the guards of leases under its own locks without importing leases,
and an operation that runs without its hooks fails at once instead of skipping a check.
"""

from typing import TypeVar

Hook = TypeVar("Hook")


class Hooks:
    """Registered hooks, found by the class that the lower package defines."""

    def __init__(self, *hooks: object) -> None:
        self._hooks = hooks
        self._by_kind: dict[type, tuple[object, ...]] = {}

    def every(self, kind: type[Hook]) -> tuple[Hook, ...]:
        """Return the hooks of a kind in the order of registration; raise when there are none."""
        found = self._by_kind.get(kind)
        if found is None:
            found = self._by_kind[kind] = tuple(hook for hook in self._hooks if isinstance(hook, kind))
        if not found:
            raise RuntimeError(f"No {kind.__name__} is registered; dibs.wiring.hooks.build_runner registers all.")
        return found  # type: ignore[return-value]


NO_HOOKS = Hooks()
