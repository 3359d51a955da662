"""Generated logs have the documented properties."""

import json
from collections import Counter
from datetime import datetime
from itertools import pairwise

import pytest

from experiments.activity.desks import export, generate
from experiments.activity.work import DAY, HOUR, MONTH, PAPER, WINTER, Size

SMALL = Size(activities=6, days=5, minutes=1500, switches=80)


def test_a_seed_gives_one_log():
    assert generate(SMALL, 3) == generate(SMALL, 3)
    assert generate(SMALL, 3).looks != generate(SMALL, 4).looks


@pytest.mark.parametrize("size", [MONTH, pytest.param(PAPER, marks=pytest.mark.slow)])
def test_a_log_has_its_size(size):
    desk = generate(size, 0)
    assert len({spell.activity for spell in desk.truth}) == size.activities
    assert len(desk.truth) == pytest.approx(size.switches, rel=0.1)
    minutes = sum(block.end - block.start for block in desk.present) / 60
    assert minutes == pytest.approx(size.minutes, rel=0.01)


def test_looks_fill_the_times_of_presence_in_order():
    desk = generate(SMALL, 0)
    assert all(a.end <= b.start for a, b in pairwise(desk.looks))
    shown = sum(look.end - look.start for look in desk.looks)
    assert shown == pytest.approx(sum(b.end - b.start for b in desk.present))
    for one, after in pairwise(desk.truth):
        assert one.end <= after.start
        assert one.activity != after.activity


def test_projects_share_resources_and_words():
    desk, users = generate(MONTH, 0), {}
    for look in desk.looks:
        spell = next(s for s in desk.truth if s.start <= look.start < s.end)
        for what in (look.resource, *look.event().words):
            users.setdefault(what, Counter())[spell.activity] += 1
    alone = [what for what, of in users.items() if max(of.values()) == of.total()]
    assert len(alone) < len(users) / 2
    assert len(users["application:Thunderbird"]) > 20


def test_days_begin_in_the_morning_also_after_the_clocks_go_back():
    desk = generate(PAPER, 0)
    first = {}
    for look in desk.looks:
        first.setdefault((look.start + 2 * HOUR) // DAY * DAY, look.start % DAY / HOUR)
    summer = [hour for day, hour in first.items() if day < WINTER - DAY]
    winter = [hour for day, hour in first.items() if day > WINTER]
    assert sum(winter) / len(winter) - sum(summer) / len(summer) == pytest.approx(1.0, abs=0.3)


def test_the_export_is_activitywatch_s(tmp_path):
    desk = generate(SMALL, 0)
    export(desk, tmp_path / "log.json", host="box")
    buckets = json.loads((tmp_path / "log.json").read_text())["buckets"]
    watchers = "window_box", "afk_box", "web-firefox", "vim_box"
    assert set(buckets) == {f"aw-watcher-{name}" for name in watchers}
    windows = buckets["aw-watcher-window_box"]["events"]
    assert len(windows) == len(desk.looks)
    start = datetime.fromisoformat(windows[-1]["timestamp"]).timestamp()
    assert start == pytest.approx(desk.looks[0].start, abs=0.001)
    assert windows[-1]["data"] == {"app": desk.looks[0].app, "title": desk.looks[0].title}
    statuses = {e["data"]["status"] for e in buckets["aw-watcher-afk_box"]["events"]}
    assert statuses == {"afk", "not-afk"}
