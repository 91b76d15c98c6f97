from dibs.database.sets import CACHED_MAX, PIECE_MAX, binds, cached, columns, numbered, padded, pieces


def test_pieces_have_every_item_once_and_fit_into_a_statement() -> None:
    items = list(range(2 * PIECE_MAX + 1))
    found = [list(piece) for piece in pieces(items)]
    assert [len(piece) for piece in found] == [PIECE_MAX, PIECE_MAX, 1]
    assert [item for piece in found for item in piece] == items


def test_parameters_and_values_have_the_same_names() -> None:
    assert [bind.key for bind in binds("id", 2)] == list(numbered("id", [7, 8]))
    assert numbered("id", [7, 8]) == {"id_0": 7, "id_1": 8}


def test_padded_items_repeat_the_last_one_up_to_a_power_of_two() -> None:
    assert [padded(range(count)) for count in (1, 2, 3)] == [[0], [0, 1], [0, 1, 2, 2]]
    assert {len(padded(range(count))) for count in range(1, PIECE_MAX + 1)} == {1 << power for power in range(10)}


def test_rows_become_numbered_parameters() -> None:
    assert columns([{"a": 1}, {"a": 2}]) == {"a_0": 1, "a_1": 2}


def test_function_keeps_a_bounded_number_of_statements() -> None:
    built = []

    @cached
    def build(count: int) -> int:
        built.append(count)
        return count

    for count in (*range(CACHED_MAX + 1), CACHED_MAX, 0):
        assert build(count) == count
    assert built == [*range(CACHED_MAX + 1), 0]
