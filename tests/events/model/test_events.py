"""What an event shows of a change, and one event for each object of a transaction."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from msgspec import Struct, field

from dibs.events.model.events import HIDDEN, STATE_BYTES_MAX, Event, Watch, encode_state, merge


class Thing(Struct, frozen=True, kw_only=True):
    name: str | None = None
    size: int = 0
    secrets: Mapping[str, Any] = field(default_factory=dict)
    note: str | None = None


WATCH = Watch(kind="thing", names=("name", "size", "secrets"), hidden=frozenset({"secrets"}))


def change(before: Thing | None, after: Thing | None, **options: Any) -> Event | None:
    return WATCH.event(before, after, object_id="1", project="p", **options)


def test_new_object_shows_its_attributes_and_no_state_before() -> None:
    event = change(None, Thing(name="a", size=3))
    assert event == Event(type="thing.created", object_id="1", project="p", after={"name": "a", "size": 3})


def test_change_shows_only_attributes_that_changed() -> None:
    event = change(Thing(name="a", size=3), Thing(name="b", size=3))
    assert event == Event(type="thing.changed", object_id="1", project="p", before={"name": "a"}, after={"name": "b"})


def test_deleted_object_shows_what_it_was() -> None:
    event = change(Thing(name="a", size=3), None)
    assert event == Event(type="thing.deleted", object_id="1", project="p", before={"name": "a", "size": 3})


def test_change_of_an_attribute_that_is_not_watched_is_no_event() -> None:
    assert change(Thing(name="a", note="x"), Thing(name="a", note="y")) is None


def test_of_hidden_attributes_only_the_keys_are_shown() -> None:
    event = change(Thing(), Thing(secrets={"password": "geheim"}))
    assert event is not None
    assert event.after == {"secrets": {"password": HIDDEN}}


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([(None, "a"), ("a", "b")], [("thing.created", None, {"name": "b"})]),
        ([("a", "b"), ("b", "c")], [("thing.changed", {"name": "a"}, {"name": "c"})]),
        ([("a", "b"), ("b", None)], [("thing.deleted", {"name": "a"}, None)]),
        ([("a", None), (None, "b")], [("thing.changed", {"name": "a"}, {"name": "b"})]),
        ([("a", "b"), ("b", "a")], []),
        ([("a", None), (None, "a")], []),
    ],
)
def test_several_writes_of_one_object_are_one_event(
    steps: list[tuple[str | None, str | None]], expected: list[tuple[str, Any, Any]]
) -> None:
    names = Watch(kind="thing", names=("name",))
    states = [tuple(None if name is None else Thing(name=name) for name in step) for step in steps]
    recorded = [names.event(before, after, object_id="1", project="p") for before, after in states]
    merged = merge(event for event in recorded if event is not None)
    assert [(event.type, event.before, event.after) for event in merged] == expected


def test_writes_of_different_objects_stay_apart() -> None:
    both = [Event(type="thing.created", object_id=number, project=None, after={}) for number in ("1", "2")]
    assert merge(both) == both


def test_the_verb_that_says_most_stays() -> None:
    started = Event(type="thing.started", object_id="1", project=None, before={"state": 0}, after={"state": 1})
    renamed = Event(type="thing.changed", object_id="1", project=None, before={"name": "a"}, after={"name": "b"})
    assert [event.type for event in merge([started, renamed])] == ["thing.started"]
    assert [event.type for event in merge([renamed, started])] == ["thing.started"]


def test_largest_values_of_a_large_state_are_replaced_by_their_size() -> None:
    traits = [f"CUSTOM_{number:030}" for number in range(50)]
    state = {"traits": traits, "extra": "x" * STATE_BYTES_MAX, "properties": "y" * STATE_BYTES_MAX}
    short = encode_state(state)
    assert short is not None
    assert len(short) <= STATE_BYTES_MAX
    size = f"({STATE_BYTES_MAX + 2} bytes)"
    assert json.loads(short) == {"traits": traits, "extra": size, "properties": size}


def test_large_value_is_replaced_by_its_size() -> None:
    text = encode_state({"name": "a", "extra": {"text": "x" * STATE_BYTES_MAX}})
    assert text is not None
    assert json.loads(text) == {"name": "a", "extra": f"({STATE_BYTES_MAX + 11} bytes)"}
    assert encode_state(None) is None
