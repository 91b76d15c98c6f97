"""From a node to what a caller is shown of it."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from dibs.dialects.baremetal.exchange import Exchange
from dibs.dialects.baremetal.fields import BY_NAME, FIELDS, STATE_FIELDS, STORED, VISIBLE, Kind
from dibs.dialects.baremetal.secrets import mask_keys, mask_secrets
from dibs.domain import node_states as states
from dibs.usecases.nodes import NodeView

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LINKED = {"links": (), "ports": ("ports",), "states": ("states",)}
_TIMES = frozenset(field.name for field in FIELDS if field.kind is Kind.TIME)

_GUARDED: Mapping[str, Any] = {
    "last_error": "** Value Redacted - Requires baremetal:node:get:last_error permission. **",
    "reservation": "** Redacted - requires baremetal:node:get:reservation permission. **",
    "driver_internal_info": {
        "content": "** Redacted - Requires baremetal:node:get:driver_internal_info permission. **"
    },
    "driver_info": {"content": "** Redacted - requires baremetal:node:get:driver_info permission. **"},
}
"""What stands in place of an attribute that the rule ``baremetal:node:get:<name>`` keeps from the caller."""


def render_time(instant: int | None) -> str | None:
    """A time as ISO 8601 in UTC."""
    return None if instant is None else (_EPOCH + timedelta(microseconds=instant)).isoformat(timespec="microseconds")


def node_values(view: NodeView) -> dict[str, Any]:
    """All attributes of a node by name."""
    values = {name: getattr(view.node, name) for name in STORED}
    values["traits"] = list(view.traits)
    values["conductor"] = view.conductor
    return values


class NodeRenderer:
    """Renders nodes for one request. What depends on the caller alone is asked of the policy once, not per node."""

    def __init__(self, exchange: Exchange, wanted: frozenset[str] | None) -> None:
        self._exchange = exchange
        visible = VISIBLE[exchange.minor]
        shown = visible if wanted is None else visible & (wanted | {"links"})
        self._shown = tuple(field.name for field in FIELDS if field.name in shown)
        policy, actor = exchange.policy, exchange.actor
        self._sees_all = policy.allows("baremetal:node:get:filter_threshold", actor)
        self._sees_passwords = policy.allows("show_password", actor)
        self._sees_instance_secrets = policy.allows("show_instance_secrets", actor)

    @property
    def columns(self) -> frozenset[str]:
        """What must be read to render; owner and lessee decide on what else is shown."""
        needed = {name for name in self._shown if name in STORED or name in ("traits", "conductor")}
        return frozenset(needed | {"uuid"} if self._sees_all else needed | {"uuid", "owner", "lessee"})

    def render(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """One node from its attributes by name."""
        return {name: self._show(name, values) for name in self._shown}

    def _show(self, name: str, values: Mapping[str, Any]) -> Any:
        if name in _LINKED:
            return self._exchange.links("nodes", values["uuid"], *_LINKED[name])
        if name in _GUARDED and not self._may_see(name, values):
            return _GUARDED[name]
        value = values.get(name)
        if name in _TIMES:
            return render_time(value)
        if name == "provision_state":
            return state_in_version(value, self._exchange.minor)
        return self._without_secrets(name, value)

    def _may_see(self, name: str, values: Mapping[str, Any]) -> bool:
        if self._sees_all:
            return True
        return self._exchange.policy.allows(
            f"baremetal:node:get:{name}", self._exchange.actor, values.get("owner"), values.get("lessee")
        )

    def _without_secrets(self, name: str, value: Any) -> Any:
        if name in ("driver_info", "driver_internal_info") and not self._sees_passwords:
            return mask_secrets(value)
        if name == "instance_info" and not self._sees_instance_secrets:
            return mask_keys(mask_secrets(value), ("configdrive", "image_url"))
        return value


def render_node(exchange: Exchange, view: NodeView, wanted: frozenset[str] | None = None) -> dict[str, Any]:
    """One node, whole or with just the attributes wanted."""
    return NodeRenderer(exchange, wanted).render(node_values(view))


def render_states(exchange: Exchange, view: NodeView) -> dict[str, Any]:
    """The part of a node that ``/states`` shows."""
    names = [name for name in STATE_FIELDS if BY_NAME[name].since <= exchange.minor]
    shown = NodeRenderer(exchange, frozenset(names)).render(node_values(view))
    return {name: shown[name] for name in names}


def state_in_version(state: str | None, minor: int) -> str | None:
    """Quirk: a free node had no state before 1.2 (contract sample 024), and none waited for inspection before 1.39."""
    if state == states.AVAILABLE and minor < 2:
        return None
    if state == states.INSPECT_WAIT and minor < 39:
        return states.INSPECTING
    return state
