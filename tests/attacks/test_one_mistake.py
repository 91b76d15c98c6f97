"""One wrong value per field: the refusal is 400 and names the field."""

import pytest

from dibs.dialects.baremetal.documents.fields import FIELDS, Field
from dibs.machines.model.patching.node_attributes import ATTRIBUTES, Kind
from tests.attacks.invalid_values import UNKNOWN
from tests.attacks.target import INSTANCE, NODES, PORT, Attack, Target

NODE = f"/v1/nodes/{NODES['available']}"
HUGE = "n" * 1_000_000
NUL, SURROGATE = "a\0b", "a\ud800"
NOT_TEXT = (5, 0.5, True, [], {})
NOT_FLAG = ("maybe", 5, [], {})
NOT_OBJECT = ("x", 5, True, [])

Mistake = tuple[str, object]


def mistakes_in(field: Field) -> list[object]:
    """Return values that the field does not accept."""
    if field.kind in (Kind.FLAG, Kind.OPTIONAL_FLAG):
        return [*NOT_FLAG]
    if field.kind is Kind.OBJECT:
        return [*NOT_OBJECT, {"a": NUL}, {SURROGATE: 1}]
    wrong: list[object] = [*NOT_TEXT, NUL, SURROGATE]
    if field.kind is Kind.UUID:
        return [*wrong, "no-uuid", HUGE]
    return [*wrong, HUGE] if ATTRIBUTES[field.name].length else wrong


def of_node(attribute: str) -> list[Mistake]:
    common = [(field.name, wrong) for field in FIELDS if getattr(field, attribute) for wrong in mistakes_in(field)]
    names = [("name", wrong) for wrong in ("a b", "é", "/", "a" * 256, HUGE, UNKNOWN, "detail", "-a")]
    others = [("driver", ""), ("driver", None), ("power_interface", "ipmitool"), ("parent_node", UNKNOWN)]
    return [*common, *names, *others, ("chassis_uuid", UNKNOWN)]


PORT_MISTAKES: list[Mistake] = [
    *(("address", wrong) for wrong in (*NOT_TEXT, None, "", "xx", "52:54:00:00:00", "52:54:00:00:00:gg", HUGE, NUL)),
    *((name, wrong) for name in ("is_smartnic", "pxe_enabled") for wrong in NOT_FLAG),
    *((name, wrong) for name in ("extra", "local_link_connection") for wrong in NOT_OBJECT),
    *(
        (name, wrong)
        for name in ("name", "description", "vendor", "category")
        for wrong in (5, [], HUGE, NUL, SURROGATE)
    ),
    *(("physical_network", wrong) for wrong in (5, "", "x" * 65, NUL)),
    *(("local_link_connection", wrong) for wrong in ({"port_id": 5}, {"unknown": "x"}, {"port_id": NUL})),
    ("portgroup_uuid", UNKNOWN),
    ("available_for_dynamic_portgroup", "maybe"),
    ("node_uuid", 5),
    ("node_uuid", "no-uuid"),
]

ACTION_MISTAKES: list[tuple[str, str, object]] = [
    *(("traits", "traits", wrong) for wrong in ("x", 5, None, {}, [5], [None], [["CUSTOM_A"]], [NUL], ["C" * 256])),
    *(
        ("traits", wrong, [wrong])
        for wrong in ("lower", "CUSTOM_", "CUSTOM_a", "CUSTOM-A", "HW_UNHEARD_OF", "CUSTOM_É")
    ),
    *(("traits", "unknown_key", wrong) for wrong in (1, {})),
    *(("maintenance", "reason", wrong) for wrong in (5, [], {}, NUL, SURROGATE)),
    *(("states/power", "target", wrong) for wrong in (*NOT_TEXT, None, NUL)),
    *(("states/power", "timeout", wrong) for wrong in ("x", 0, -1, 1.5, [], 10**30, True)),
    *(("states/provision", "target", wrong) for wrong in (*NOT_TEXT, None, NUL)),
    *(("states/provision", "configdrive", wrong) for wrong in (5, [], {"unknown": 1}, {"meta_data": 1}, NUL)),
    *(("states/provision", "clean_steps", wrong) for wrong in ("x", {}, [5], [{}], [{"interface": "x", "step": "y"}])),
    *(("states/provision", "deploy_steps", wrong) for wrong in ("x", {}, [5], [{}])),
    *(("states/provision", "service_steps", wrong) for wrong in ("x", {}, [5], [{}])),
    *(("states/provision", "rescue_password", wrong) for wrong in (5, [], NUL)),
    *(("states/provision", "disable_ramdisk", wrong) for wrong in (5, [], "maybe")),
    *(("management/boot_device", "boot_device", wrong) for wrong in (*NOT_TEXT, None, "", "floppy", HUGE, NUL)),
    *(("management/boot_device", "persistent", wrong) for wrong in NOT_FLAG),
]

QUERY_MISTAKES: list[tuple[str, str]] = [
    *((name, "maybe") for name in ("associated", "maintenance", "retired", "sharded", "include_children", "detail")),
    *((name, "no-uuid") for name in ("instance_uuid", "parent_node", "marker")),
    *(("limit", wrong) for wrong in ("", "x", "-1", "0", "1.5", "9" * 30, "٣")),
    *(("sort_key", wrong) for wrong in ("unknown", "traits", "driver_info", "\N{GRINNING FACE}", HUGE[:60_000])),
    *((name, "lower") for name in ("traits", "traits-any", "not-traits", "not-traits-any")),
    *((name, "") for name in ("traits", "traits-any", "not-traits", "not-traits-any")),
    ("fields", "unknown"),
    ("provision_state", "unknown"),
    ("fault", "unknown"),
    ("unheard_of", "1"),
]


WORDS = {"chassis_uuid": "chassis", "portgroup_uuid": "portgroup", "fields": "field(s)"}
"""The original service's word for a field whose messages do not use the field's name."""


def assert_refused(target: Target, attack: Attack, field: str) -> None:
    answer = target.send(attack)
    assert answer.status == 400, answer
    assert _words(WORDS.get(field, field)) in _words(answer.message), f"{field} is not named in: {answer.message}"


def _words(text: str) -> str:
    return text.lower().replace("_", " ")


def test_refusal_of_a_new_node_names_the_wrong_field(target: Target) -> None:
    for field, wrong in of_node("creatable"):
        assert_refused(target, Attack.of("POST", "/v1/nodes", {"driver": "fake-hardware", field: wrong}), field)


def test_refusal_of_a_node_patch_names_the_wrong_field(target: Target) -> None:
    for field, wrong in of_node("patchable"):
        if wrong is not None:
            assert_refused(
                target, Attack.of("PATCH", NODE, [{"op": "add", "path": f"/{field}", "value": wrong}]), field
            )


def test_refusal_of_a_new_port_names_the_wrong_field(target: Target) -> None:
    good = {"node_uuid": NODES["available"], "address": "52:54:00:00:00:77"}
    for field, wrong in [*PORT_MISTAKES, ("uuid", "no-uuid"), ("uuid", 5), ("node_ident", 5)]:
        assert_refused(target, Attack.of("POST", "/v1/ports", {**good, field: wrong}), field)


def test_refusal_of_a_port_patch_names_the_wrong_field(target: Target) -> None:
    for field, wrong in PORT_MISTAKES:
        assert_refused(
            target, Attack.of("PATCH", f"/v1/ports/{PORT}", [{"op": "add", "path": f"/{field}", "value": wrong}]), field
        )


def test_refusal_of_an_action_names_the_wrong_field(target: Target) -> None:
    for path, field, wrong in ACTION_MISTAKES:
        key = "traits" if path == "traits" and isinstance(wrong, list) else field
        body = {key: wrong} if field == "target" else {"target": "manage", key: wrong}
        if path.startswith("management"):
            body = {"boot_device": "pxe", key: wrong}
        elif not path.startswith("states"):
            body = {key: wrong}
        assert_refused(target, Attack.of("PUT", f"{NODE}/{path}", body), field)


@pytest.mark.parametrize(("name", "wrong"), QUERY_MISTAKES, ids=lambda value: value[:20])
def test_refusal_of_a_query_names_the_wrong_parameter(target: Target, name: str, wrong: str) -> None:
    assert_refused(target, Attack.of("GET", "/v1/nodes", query=f"{name}={wrong}"), name)


def test_filter_for_an_unknown_shard_finds_nothing(target: Target) -> None:
    assert target.send(Attack.of("GET", "/v1/nodes", query="shard=")).body == b'{"nodes":[]}'


def test_patch_with_the_instance_of_another_node_changes_nothing(target: Target) -> None:
    patch = [
        {"op": "add", "path": "/extra", "value": {"a": 1}},
        {"op": "add", "path": "/instance_uuid", "value": INSTANCE},
    ]
    assert target.send(Attack.of("PATCH", NODE, patch)).status == 409


@pytest.mark.parametrize("path", [NODE, f"/v1/ports/{PORT}"], ids=["node", "port"])
def test_patches_that_together_exceed_the_size_of_an_object_are_refused(target: Target, path: str) -> None:
    """Otherwise MariaDB closes the connection in the end, and the store drops all of its connections."""
    value = "é" * 20_000
    statuses = []
    for number in range(3):
        patch = f'[{{"op": "add", "path": "/extra/{number}", "value": "{value}"}}]'.encode()
        answer = target.send(Attack.of("PATCH", path, patch), undo=False)
        statuses.append(answer.status)
    target.prepare()
    assert statuses == [200, 400, 400]
    assert "extra" in answer.message


def test_request_with_too_many_traits_changes_nothing(target: Target) -> None:
    names = [f"CUSTOM_{number}" for number in range(51)]
    assert "51" in target.send(Attack.of("PUT", f"{NODE}/traits", {"traits": names})).message
