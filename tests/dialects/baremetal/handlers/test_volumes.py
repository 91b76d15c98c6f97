from tests.dialects.baremetal.conversation import ADMIN_ROLES, BASE_URL, MEMBER_ROLES, Conversation, person


def test_the_pages_of_volumes_link_to_connectors_and_targets(ask: Conversation) -> None:
    ask.ledger.enrol(name="n", owner="owner")
    for path in ("/v1/volume", "/v1/nodes/n/volume"):
        shown = ask("GET", path).json
        assert shown["links"][0]["href"] == f"{BASE_URL}{path}/"
        for name in ("connectors", "targets"):
            assert shown[name][0]["href"] == f"{BASE_URL}{path}/{name}"
            assert ask("GET", shown[name][1]["href"].removeprefix(BASE_URL)).json == {name: []}
    owner = person("owner", "reader")
    assert ask("GET", "/v1/volume", actor=owner).status == 403
    assert ask("GET", "/v1/nodes/n/volume", actor=owner).status == 200
    assert ask("GET", "/v1/nodes/n/volume", actor=person("other", "reader")).status == 404


def test_lists_are_detailed_from_the_first_version_on(ask: Conversation) -> None:
    # openstacksdk asks for details in this version.
    for name in ("connectors", "targets"):
        assert ask("GET", f"/v1/volume/{name}?detail=True", version="1.32").json == {name: []}


def test_credentials_of_a_target_are_masked_and_hidden_from_members(ask: Conversation) -> None:
    node = ask.ledger.enrol(owner="owner").uuid
    properties = {"target_portal": "10.0.0.9:3260", "auth_password": "secret"}
    body = {"node_uuid": node, "volume_type": "iscsi", "volume_id": "v", "boot_index": 0, "properties": properties}
    made = ask("POST", "/v1/volume/targets", body).json
    one = f"/v1/volume/targets/{made['uuid']}"
    for actor in (None, person("owner", *ADMIN_ROLES)):
        assert ask("GET", one, actor=actor).json["properties"] == {**properties, "auth_password": "******"}
    member = person("owner", *MEMBER_ROLES)
    shown = [ask("GET", one, actor=member).json, *ask("GET", "/v1/volume/targets?detail=true").json["targets"]]
    assert "redacted" in shown[0]["properties"]["redacted_contents"]
    assert shown[1]["properties"]["auth_password"] == "******"
    # A patch applies to the stored values.
    patch = [{"op": "test", "path": "/extra"}]
    assert ask("PATCH", one, patch).status == 400
    ask("PATCH", one, [{"op": "add", "path": "/properties/lun", "value": 1}])
    assert ask("GET", f"{one}?fields=uuid", actor=member).json.keys() == {"uuid", "links"}
