"""One action on several nodes of the fleet: a preview with the leases that it affects, then the action itself."""

from collections.abc import Callable, Mapping

from msgspec import Struct

from dibs.allocations.model.schedules import Occupation
from dibs.console.errors import Refusal, message_of
from dibs.console.exchange import Exchange
from dibs.console.presentation.lines import Line
from dibs.console.times import DAY
from dibs.console.views.reading import lines_of, read_schedule
from dibs.errors import DibsError
from dibs.http.messages import Response
from dibs.leases.operations.availability import NewHosts, PreviewDisplacement, preview_displacement
from dibs.machines.model import states
from dibs.machines.model.node_query import OneOf
from dibs.machines.operations.node_traits import AddTrait, RemoveTrait, add_trait, remove_trait
from dibs.machines.operations.nodes import SetMaintenance, set_maintenance
from dibs.machines.operations.provisioning import RequestProvision, request_provision

NODES_MAX = 100
AHEAD_DAYS = 60
TEXT_LENGTH_MAX = 255

Apply = Callable[[Exchange, str, str], object]


class Action(Struct, frozen=True, kw_only=True):
    """Something that can be done to several nodes."""

    title: str
    needs: str
    """What the text of the form is; empty when it needs none."""
    command: str
    apply: Apply
    interrupts: bool = False
    """Leases lose the use of the node."""
    displaces: bool = False
    """Conductors look for other nodes for these leases."""


class Result(Struct, frozen=True, kw_only=True):
    """What became of one node."""

    line: Line
    problem: str = ""


def preview(exchange: Exchange) -> Response:
    """POST /fleet/preview"""
    exchange.check_form()
    action, text, lines = _read(exchange)
    leases = _leases(lines) if action.interrupts else {}
    moves = _moves(exchange, lines, leases) if action.displaces else {}
    return exchange.page(
        "bulk.html",
        action=action,
        key=exchange.form["action"],
        text=text,
        lines=lines,
        leases=leases,
        moves=moves,
        days=AHEAD_DAYS,
    )


def apply(exchange: Exchange) -> Response:
    """POST /fleet/apply. Each node is a transaction of its own: what fails on one node does not undo the others."""
    exchange.check_form()
    action, text, lines = _read(exchange)
    results = [Result(line=line, problem=_try(exchange, action, line, text)) for line in lines]
    exchange.services.wake()
    return exchange.page("bulk_done.html", action=action, results=results)


def _read(exchange: Exchange) -> tuple[Action, str, list[Line]]:
    action = ACTIONS.get(exchange.form.get("action", ""))
    if action is None:
        raise Refusal(400, "Choose an action.")
    text = exchange.form.get("text", "")
    if action.needs and not text:
        raise Refusal(400, f"Enter {action.needs}.")
    if len(text) > TEXT_LENGTH_MAX:
        raise Refusal(400, f"Enter at most {TEXT_LENGTH_MAX} characters.")
    chosen = tuple(dict.fromkeys(value for name, value in exchange.fields if name == "node"))
    if not 0 < len(chosen) <= NODES_MAX:
        raise Refusal(400, f"Choose from 1 to {NODES_MAX} nodes.")
    schedule = read_schedule(
        exchange,
        start=exchange.now,
        end=exchange.now + AHEAD_DAYS * DAY,
        limit=NODES_MAX,
        conditions=(OneOf("uuid", chosen),),
    )
    return action, text, lines_of(schedule, exchange.now)


def _leases(lines: list[Line]) -> Mapping[str, list[Occupation]]:
    """Return what is booked on each node from now on, by the name of the node."""
    found = {line.name: [each for each in line.occupations if each.kind == "lease"] for line in lines}
    return {name: leases for name, leases in found.items() if leases}


def _moves(exchange: Exchange, lines: list[Line], leases: Mapping[str, list[Occupation]]) -> Mapping[str, NewHosts]:
    """Return what the leases that the user sees would have instead, by the uuid of the lease."""
    seen = dict.fromkeys(each.uuid for found in leases.values() for each in found if each.uuid is not None)
    command = PreviewDisplacement(
        nodes=frozenset(line.id for line in lines),
        leases=tuple(seen),
        cleaning_minutes=exchange.services.lease_rules.cleaning_minutes,
    )
    return exchange.read(preview_displacement, exchange.leases, command)


def _try(exchange: Exchange, action: Action, line: Line, text: str) -> str:
    try:
        action.apply(exchange, line.uuid, text)
    except DibsError as error:
        return message_of(error, exchange.machines)
    return ""


def _set_maintenance(exchange: Exchange, node: str, text: str) -> None:
    rules = ("baremetal:node:set_maintenance",)
    command = SetMaintenance(ident=node, rules=rules, on=True, reason=text)
    exchange.services.runner.write(set_maintenance, exchange.machines, command)


def _clear_maintenance(exchange: Exchange, node: str, text: str) -> None:
    command = SetMaintenance(ident=node, rules=("baremetal:node:clear_maintenance",), on=False)
    exchange.services.runner.write(set_maintenance, exchange.machines, command)


def _add_trait(exchange: Exchange, node: str, text: str) -> None:
    command = AddTrait(ident=node, rules=("baremetal:node:traits:set",), trait=text)
    exchange.services.runner.write(add_trait, exchange.machines, command)


def _remove_trait(exchange: Exchange, node: str, text: str) -> None:
    command = RemoveTrait(ident=node, rules=("baremetal:node:traits:delete",), trait=text)
    exchange.services.runner.write(remove_trait, exchange.machines, command)


def _undeploy(exchange: Exchange, node: str, text: str) -> None:
    rules = ("baremetal:node:set_provision_state",)
    command = RequestProvision(ident=node, rules=rules, verb=states.UNDEPLOY)
    exchange.services.runner.write(request_provision, exchange.machines, command)


ACTIONS: Mapping[str, Action] = {
    "maintenance": Action(
        title="Set maintenance",
        needs="the reason",
        command="openstack baremetal node maintenance set",
        apply=_set_maintenance,
        interrupts=True,
        displaces=True,
    ),
    "no-maintenance": Action(
        title="Clear maintenance",
        needs="",
        command="openstack baremetal node maintenance unset",
        apply=_clear_maintenance,
    ),
    "add-trait": Action(title="Add a trait", needs="the trait", command="dibs node add trait", apply=_add_trait),
    "remove-trait": Action(
        title="Remove a trait", needs="the trait", command="dibs node remove trait", apply=_remove_trait
    ),
    "undeploy": Action(
        title="Undeploy",
        needs="",
        command="openstack baremetal node undeploy",
        apply=_undeploy,
        interrupts=True,
    ),
}
