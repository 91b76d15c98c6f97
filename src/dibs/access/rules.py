"""Decide by named rules in oslo.policy's language: default rules, and a site's policy file on top of them.

Knows no rule of its own: a dialect brings the names and default checks of the service whose API it speaks, so that an
existing policy.yaml carries over.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from dibs.access.actor import Actor
from dibs.access.checks import compile_rules

REMEMBERED_MAX = 16_384

_Target = tuple[tuple[str, str | None], ...]


class RuleBook:
    """Rules by name. A name that is not defined allows nothing."""

    def __init__(self, defaults: Mapping[str, str], policy_file: str | None = None) -> None:
        if policy_file is None:
            checks = compile_rules(defaults)

            def decide(rule: str, actor: Actor, target: _Target) -> bool:
                check = checks.get(rule)
                return check is not None and check(dict(target), _credentials(actor))

            self.calls_services = False
        else:
            # Imported only for a site that has a file: the library and its dependencies double the start-up time.
            from dibs.access.policy_file import PolicyFile

            file = PolicyFile(defaults, policy_file)

            def decide(rule: str, actor: Actor, target: _Target) -> bool:
                return file.check(rule, dict(target), _credentials(actor))

            self.calls_services = file.calls_services
        # A decision follows from these arguments alone, unless a rule asks a service. Evaluating a rule of a policy
        # file costs more than the database, because oslo.policy inspects the signature of every check at every call.
        self._decide = decide if self.calls_services else lru_cache(maxsize=REMEMBERED_MAX)(decide)

    def allows(self, rule: str, actor: Actor, target: Mapping[str, str | None]) -> bool:
        """Return True when the rule lets the actor do this to the target: the names and values that checks compare."""
        return self._decide(rule, actor, tuple(target.items()))


def _credentials(actor: Actor) -> dict[str, Any]:
    """Return the caller in the names that rules use."""
    return {
        "user_id": actor.user,
        "project_id": actor.project,
        "roles": list(actor.roles),
        "system_scope": "all" if actor.system_scope else None,
    }
