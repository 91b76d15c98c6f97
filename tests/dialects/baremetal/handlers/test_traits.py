import pytest

from tests.dialects.baremetal.conversation import BASE_URL, Conversation


@pytest.fixture
def url(ask: Conversation) -> str:
    """The URL of a node's traits."""
    return f"/v1/nodes/{ask.ledger.enrol(name='n').uuid}/traits"


def test_all_traits_are_replaced_and_returned_in_order(ask: Conversation, url: str) -> None:
    answer = ask("PUT", url, {"traits": ["CUSTOM_B", "CUSTOM_A", "HW_CPU_X86_VMX", "CUSTOM_A"]})
    assert (answer.status, answer.json) == (200, {"traits": ["CUSTOM_A", "CUSTOM_B", "HW_CPU_X86_VMX"]})
    assert ask("GET", url).json == answer.json
    assert ask("PUT", url, {"traits": []}).json == {"traits": []}


def test_one_trait_can_be_added_repeatedly(ask: Conversation, url: str) -> None:
    for _ in range(2):
        answer = ask("PUT", f"{url}/CUSTOM_A")
        assert (answer.status, answer.body) == (204, b"")
        assert answer.headers["location"] == f"{BASE_URL}{url}/CUSTOM_A"
    assert ask("GET", url).json == {"traits": ["CUSTOM_A"]}


def test_traits_are_removed_one_by_one_or_all(ask: Conversation, url: str) -> None:
    ask("PUT", url, {"traits": ["CUSTOM_A", "CUSTOM_B", "CUSTOM_C"]})
    assert ask("DELETE", f"{url}/CUSTOM_A").status == 204
    answer = ask("DELETE", f"{url}/CUSTOM_A")
    assert answer.status == 404
    assert "doesn't have a trait 'CUSTOM_A'" in answer.reason
    assert ask("DELETE", url).status == 204
    assert ask("GET", url).json == {"traits": []}


@pytest.mark.parametrize("name", ["FOO", "CUSTOM_lower", "HW_NO_SUCH_TRAIT", "CUSTOM_" + "A" * 249, "CUSTOM_"])
def test_a_name_that_is_no_trait_is_400_with_the_reason(ask: Conversation, url: str, name: str) -> None:
    one, all_of_them = ask("PUT", f"{url}/{name}"), ask("PUT", url, {"traits": ["CUSTOM_OK", name]})
    assert (one.status, all_of_them.status) == (400, 400)
    assert name[:40] in one.reason
    assert ask("GET", url).json == {"traits": []}


def test_a_node_has_at_most_fifty_traits(ask: Conversation, url: str) -> None:
    names = [f"CUSTOM_{number}" for number in range(51)]
    assert "(51 vs. 50)" in ask("PUT", url, {"traits": names}).reason
    assert ask("PUT", url, {"traits": names[:50]}).status == 200
    answer = ask("PUT", f"{url}/{names[50]}")
    assert answer.status == 400
    assert "(51 vs. 50)" in answer.reason


@pytest.mark.parametrize(
    "body", [{"traits": "CUSTOM_A"}, {"traits": [5]}, {"traits": None}, [], {"traits": [], "x": 1}]
)
def test_a_body_of_another_shape_is_400(ask: Conversation, url: str, body: object) -> None:
    answer = ask("PUT", url, body)
    assert answer.status == 400
    assert answer.reason.startswith("Schema error for body")


@pytest.mark.parametrize("body", [None, {}])
def test_a_body_without_traits_is_400_with_the_usage(ask: Conversation, url: str, body: object) -> None:
    assert ask("PUT", url, body).reason.startswith("A single node trait may be added via PUT")


def test_a_single_trait_takes_no_body(ask: Conversation, url: str) -> None:
    assert ask("PUT", f"{url}/CUSTOM_X", {"traits": ["CUSTOM_Y"]}).status == 400
    assert ask("PUT", f"{url}/CUSTOM_X", {}).status == 204


def test_traits_do_not_exist_before_their_version(ask: Conversation, url: str) -> None:
    assert ask("GET", url, version="1.36").status == 406
    assert ask("PUT", url, {"traits": []}, version="1.36").status == 405
    assert ask("DELETE", f"{url}/CUSTOM_A", version="1.36").status == 404


def test_one_trait_cannot_be_read(ask: Conversation, url: str) -> None:
    answer = ask("GET", f"{url}/CUSTOM_A")
    assert (answer.status, answer.headers["allow"]) == (405, "PUT, DELETE")


def test_traits_of_an_unknown_node_are_404(ask: Conversation) -> None:
    assert ask("GET", "/v1/nodes/dd467882-90f0-4ded-a26d-350bd2f70794/traits").status == 404
