"""Virtual interfaces (VIFs): which port or port group of a node carries one.

As in Ironic, a VIF is recorded in ``internal_info`` of the port or port group. Nova reads it there to describe the
network of an instance. Dibs configures no network.
"""

from collections.abc import Iterable, Sequence

from dibs.machines.model.errors import NoFreePort, VifAttached, VifNotAttached
from dibs.machines.model.parts.parts import Json
from dibs.machines.model.parts.ports import Port, PortGroup

VIF_KEY = "tenant_vif_port_id"

Carrier = Port | PortGroup


def vif_of(carrier: Carrier) -> str | None:
    """Return the VIF that a port or port group carries."""
    return carrier.internal_info.get(VIF_KEY)


def with_vif(carrier: Carrier, vif: str) -> Json:
    """Return the ``internal_info`` of a port or port group that carries a VIF."""
    return {**carrier.internal_info, VIF_KEY: vif}


def without_vif(carrier: Carrier) -> Json:
    """Return the ``internal_info`` of a port or port group without its VIF."""
    return {name: value for name, value in carrier.internal_info.items() if name != VIF_KEY}


def carrier_of(vif: str, node: str, carriers: Iterable[Carrier]) -> Carrier:
    """Return the port or port group that carries a VIF, or raise VifNotAttached."""
    for carrier in carriers:
        if vif_of(carrier) == vif:
            return carrier
    raise VifNotAttached(vif=vif, node=node)


def choose_carrier(
    vif: str, ports: Sequence[Port], groups: Sequence[PortGroup], *, port: str | None, portgroup: str | None
) -> Carrier:
    """Return where to attach a VIF: the port or port group that the client names, or the best free one.

    - A group is free when neither it nor one of its ports carries a VIF; a group without ports is not used.
    - A port of a group is free only when another port of the group carries a VIF, because then the group is not used.
    - Groups come first, then ports with PXE, then other ports; of equals, the oldest.
    """
    every: list[Carrier] = [*ports, *groups]
    for carrier in every:
        if vif_of(carrier) == vif:
            kind = "Portgroup" if isinstance(carrier, PortGroup) else "Port"
            raise VifAttached(vif=vif, kind=kind, part=carrier.uuid)
    used = {each.portgroup_uuid for each in ports if vif_of(each)}
    members = {each.portgroup_uuid for each in ports}
    carrying = {each.uuid for each in groups if vif_of(each)}
    free_groups = [
        each
        for each in groups
        if port is None and portgroup in (None, each.uuid) and each.uuid in members - used - carrying
    ]
    free_ports = [
        each
        for each in ports
        if portgroup is None
        and port in (None, each.uuid)
        and vif_of(each) is None
        and (each.portgroup_uuid is None or each.portgroup_uuid in used - carrying)
    ]
    if free_groups:
        return free_groups[0]
    if not free_ports:
        raise NoFreePort(vif=vif)
    return min(free_ports, key=lambda each: not each.pxe_enabled)
