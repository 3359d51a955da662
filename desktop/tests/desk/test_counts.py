"""Tables of counts: what is added can be taken back, and memory is linear."""

from hypothesis import given
from hypothesis import strategies as st

from selectron_desktop.associations import MOST, Associations, Counts
from selectron_desktop.windows import Vector, Window

from .days import counted

entries = st.tuples(st.sampled_from("abc"), st.sampled_from([None, 0, 1, 2]), st.integers(1, 9))


@given(st.lists(entries), st.lists(entries))
def test_what_is_added_can_be_taken_back(first, more):
    counts, expected = Counts(), Counts()
    for name, activity, amount in first:
        counts.add([name], activity, amount)
        expected.add([name], activity, amount)
    for name, activity, amount in more:
        counts.add([name], activity, amount)
    for name, activity, amount in more:
        counts.take([name], activity, amount)
    for name, number in expected.numbers.items():
        assert counted(counts, name) == counted(expected, name)
        assert counts.rows([counts.numbers[name]]).totals == expected.rows([number]).totals


@given(st.lists(entries), st.sampled_from([(0, 1), (2, 0), (1, 2)]))
def test_merging_is_as_if_it_had_been_one_from_the_start(found, pair):
    (old, into), counts, expected = pair, Counts(), Counts()
    for name, activity, amount in found:
        counts.add([name], activity, amount)
        expected.add([name], into if activity == old else activity, amount)
    counts.merge(old, into)
    assert [counted(counts, name) for name in "abc"] == [counted(expected, name) for name in "abc"]


def test_a_full_row_gives_up_the_least():
    counts = Counts()
    for activity in range(MOST):
        counts.add(["mail"], activity, 10 + activity)
    counts.add(["mail"], 99, 1)
    row = counted(counts, "mail")
    assert len(row) == MOST
    assert row[99] == 1
    assert 0 not in row


def test_the_commonest_names_are_kept_where_there_are_too_many():
    counts = Counts()
    for i in range(100):
        counts.add([f"w{i}"], i % 5, i + 1)
    counts.forget(99)
    assert list(counts.numbers) == [f"w{i}" for i in range(51, 100)]
    assert counted(counts, "w99") == {4: 100}


def test_memory_is_linear_in_resources_whatever_the_activities():
    def size(resources, activities):
        counts = Counts()
        for activity in range(activities):
            counts.add([f"r{i}" for i in range(resources)], activity, 60)
        return sum(array.nbytes for array in counts.table)

    assert size(2000, 300) <= 1.2 * size(2000, 30)
    assert size(4000, 30) <= 2.2 * size(2000, 30)


def test_a_word_of_one_activity_is_more_important_than_one_of_many():
    known = Associations()
    for activity in range(4):
        words = ("common", f"own{activity}")
        window = Window(f"document:{activity}", words, 60.0)
        for _ in range(10):
            known.credit(Vector(0.0, 60.0, (window,), (), 0, 1.0, 0.0, 0.0), activity)
    numbers = [known.words.numbers[word] for word in ("own1", "common")]
    activities, importance = known.importance(numbers)
    (own, common) = (importance[i][activities[i] == 1].item() for i in range(2))
    assert 0 <= common < own / 3 < own <= 1
