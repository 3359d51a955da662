"""Clocks that are wrong, or set while the service runs: leases end in their time all the same."""

import pytest

from selectron.serve.host import Host

from .mail import declared, texts

DAY = 86_400.0
PER_DAY = declared(budget="3/1d", audit=0.0)


@pytest.mark.parametrize("days", [2, 2000])
def test_leases_end_after_a_start_with_a_clock_ahead(desk, days):
    one = desk()
    one.add(texts(2))
    one.crash()
    wrong = desk()
    wrong.now = 1000.0 + days * DAY
    held = wrong.ask("anna")
    assert held["item"] == 1
    wrong.crash()
    right = desk()
    right.now = 1010.0
    assert right.ask("bob")["item"] == 1  # the lease from the future is not trusted
    assert right.ask("bob")["item"] == 2
    assert right.ask("carl") is None
    right.now += 121.0
    assert right.ask("carl")["item"] == 1
    assert right.stream.store.last_at == right.now


def test_a_lease_lasts_across_a_start_and_no_longer(desk):
    one = desk()
    one.add(texts(1))
    one.ask("anna")
    one.crash()
    again = desk()
    again.now = 1119.0
    assert again.ask("bob") is None
    again.now = 1121.0
    assert again.ask("bob")["item"] == 1


def test_setting_the_clock_while_it_runs_changes_no_lease(web):
    wall, steady = [1000.0], [0.0]
    one = web(clock=lambda: wall[0], steady=lambda: steady[0])
    one.add("win")
    lease = one.post("/v1/streams/mail/next", "annotate").json()["question"]["lease"]
    assert lease["until"] - lease["now"] == 120.0
    for wall[0] in (1000.0 + 2 * DAY, 1000.0 - 2 * DAY):
        steady[0] += 59.0
        assert one.post("/v1/streams/mail/next").json()["question"] is None
    steady[0] += 3.0
    assert one.post("/v1/streams/mail/next").json()["question"]["item"] == 1


def test_time_never_steps_back_within_a_run(desk):
    one = desk()
    one.add(texts(1))
    one.now = 500.0
    one.add(texts(1, 1), start=1)
    assert one.stream.store.last_at == 1000.0


def test_a_budget_of_a_period_goes_on_after_a_clock_was_ahead(desk):
    one = desk(PER_DAY)
    one.now += 3 * DAY
    one.add(texts(20))
    one.crash()
    again = desk(PER_DAY)
    asked = []
    for day in range(3):  # as many days as the clock was ahead
        again.now = 1000.0 + day * DAY
        found = again.add(texts(20, 100 * day + 100), start=100 * day + 100)
        asked.append(sum(item["asked"] for item in found))
    assert asked[1] > 0
    assert asked[2] > 0
    assert max(asked) <= 3
    model, view = again.model(), again.view()
    again.crash()
    for _ in range(2):  # played again, and from a snapshot
        last = desk(PER_DAY)
        assert last.model() == model
        assert last.view() == view
        last.service.close()


def test_the_clock_is_taken_once(tmp_path):
    wall, steady = iter([1000.0]), [50.0]
    with Host(tmp_path, [], lambda: next(wall), lambda: steady[-1]) as host:
        for now in (53.0, 57.0):
            steady.append(now)
            assert host.steady() == now + 950.0
