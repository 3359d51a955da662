"""Work ahead keeps its order, and errors come in their turn."""

import threading
import time

import pytest

from selectron.streams.readers.text import THREADS, ahead


def test_results_come_in_order_however_long_each_takes():
    def slow(i):
        time.sleep(0.01 * (i % 3 == 1))
        return i

    assert list(ahead(slow, range(20))) == list(range(20))
    assert list(ahead(slow, [])) == []


def test_what_the_function_raises_comes_in_its_turn():
    found = []
    with pytest.raises(ZeroDivisionError):
        found.extend(ahead(lambda i: 1 // (3 - i), range(9)))
    assert found == [0, 0, 1]


def test_no_more_is_taken_than_there_are_threads_for():
    taken = []

    def items():
        for i in range(100):
            taken.append(i)
            yield i

    source = ahead(abs, items())
    next(source)
    assert len(taken) == 1
    next(source)
    assert len(taken) == 2 + THREADS
    source.close()
    assert len(taken) == 2 + THREADS


def test_threads_end_with_the_work():
    before = threading.active_count()
    source = ahead(abs, range(100))
    next(source), next(source)
    source.close()
    assert threading.active_count() == before
