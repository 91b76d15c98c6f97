"""The port or port group that a virtual interface is attached to."""

import pytest

from dibs.machines.model.errors import NoFreePort, VifAttached, VifNotAttached
from dibs.machines.model.parts.ports import Port, PortGroup
from dibs.machines.model.parts.vifs import carrier_of, choose_carrier, vif_of, with_vif, without_vif

VIF = "tenant_vif_port_id"


def port(name, *, group=None, vif=None, pxe=True):
    info = {VIF: vif} if vif else {}
    return Port(
        id=1, uuid=name, node_uuid="n", address="a", portgroup_uuid=group, pxe_enabled=pxe, internal_info=info,
        created_at=0,
    )  # fmt: skip


def group(name, *, vif=None):
    return PortGroup(id=1, uuid=name, node_uuid="n", internal_info={VIF: vif} if vif else {}, created_at=0)


def chosen(ports, groups=(), **named):
    return choose_carrier("new", ports, groups, **{"port": None, "portgroup": None, **named}).uuid


@pytest.mark.parametrize(
    ("ports", "groups", "expected"),
    [
        ([port("p1"), port("p2")], [], "p1"),
        ([port("p1", pxe=False), port("p2")], [], "p2"),
        ([port("p1", vif="old"), port("p2", pxe=False)], [], "p2"),
        ([port("p1"), port("p2", group="g")], [group("g")], "g"),
        ([port("p1")], [group("empty")], "p1"),
        ([port("p1"), port("p2", group="g")], [group("g", vif="old")], "p1"),
        ([port("p1", group="g", vif="old"), port("p2", group="g")], [group("g")], "p2"),
    ],
)
def test_groups_come_before_ports_and_ports_with_pxe_before_others(ports, groups, expected):
    assert chosen(ports, groups) == expected


def test_a_client_names_the_port_or_the_group():
    ports, groups = [port("p1"), port("p2"), port("p3", group="g")], [group("g")]
    assert chosen(ports, groups, port="p2") == "p2"
    assert chosen(ports, groups, portgroup="g") == "g"
    for named in ({"port": "nosuch"}, {"portgroup": "nosuch"}, {"port": "p3"}):
        with pytest.raises(NoFreePort, match="new"):
            chosen(ports, groups, **named)


@pytest.mark.parametrize(
    ("ports", "groups"),
    [([], []), ([port("p", vif="old")], []), ([port("p", group="g")], [group("g", vif="old")])],
)
def test_without_a_free_port_the_attachment_is_refused(ports, groups):
    with pytest.raises(NoFreePort, match="Unable to attach VIF new, not enough free physical ports"):
        chosen(ports, groups)


@pytest.mark.parametrize(
    ("ports", "groups", "words"), [([port("p", vif="new")], [], "Port p"), ([], [group("g", vif="new")], "Portgroup g")]
)
def test_a_vif_is_attached_once(ports, groups, words):
    with pytest.raises(VifAttached, match=f"VIF new is already attached to Ironic {words}"):
        chosen(ports, groups)


def test_a_vif_is_recorded_beside_other_information():
    carrier = Port(id=1, uuid="p", node_uuid="n", address="a", internal_info={"x": 1}, created_at=0)
    assert with_vif(carrier, "v") == {"x": 1, VIF: "v"}
    assert without_vif(port("p", vif="v")) == {}
    assert vif_of(carrier) is None


def test_the_carrier_of_a_vif_is_found():
    assert carrier_of("v", "n", [port("p"), group("g", vif="v")]).uuid == "g"
    with pytest.raises(VifNotAttached, match="Unable to detach VIF v from node n"):
        carrier_of("v", "n", [port("p")])
