"""Processor time that one thread spends for another."""

import time

from dibs.access.processor_time import own_seconds, spent_by_another, spent_for_others


def test_time_for_others_is_not_counted_and_that_of_another_is() -> None:
    began, before = time.thread_time(), own_seconds()
    spent_for_others(40.0)
    spent_by_another(50.0)
    assert 10.0 <= own_seconds() - before <= 10.0 + time.thread_time() - began
    spent_for_others(10.0)
