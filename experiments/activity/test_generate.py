"""Generated logs have the documented properties."""

import json
from collections import Counter
from datetime import datetime

import pytest

from experiments.activity.desks import export, generate
from experiments.activity.work import MONTH, PAPER, Size

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
    assert all(a.end <= b.start for a, b in zip(desk.looks, desk.looks[1:], strict=False))
    shown = sum(look.end - look.start for look in desk.looks)
    assert shown == pytest.approx(sum(b.end - b.start for b in desk.present))
    assert all(a.end <= b.start for a, b in zip(desk.truth, desk.truth[1:], strict=False))
    assert all(a.activity != b.activity for a, b in zip(desk.truth, desk.truth[1:], strict=False))


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
        first.setdefault(int((look.start + 7200) // 86_400), look.start)
    hours = {day: (start % 86_400) / 3600 for day, start in first.items()}
    summer = [hour for day, hour in hours.items() if day * 86_400 < 1_792_890_000 - 86_400]
    winter = [hour for day, hour in hours.items() if day * 86_400 > 1_792_890_000]
    assert sum(winter) / len(winter) - sum(summer) / len(summer) == pytest.approx(1.0, abs=0.3)


def test_the_export_is_activitywatch_s(tmp_path):
    desk = generate(SMALL, 0)
    export(desk, tmp_path / "log.json", host="box")
    buckets = json.loads((tmp_path / "log.json").read_text())["buckets"]
    assert set(buckets) == {
        "aw-watcher-window_box",
        "aw-watcher-afk_box",
        "aw-watcher-web-firefox",
        "aw-watcher-vim_box",
    }
    windows = buckets["aw-watcher-window_box"]["events"]
    assert len(windows) == len(desk.looks)
    start = datetime.fromisoformat(windows[-1]["timestamp"]).timestamp()
    assert start == pytest.approx(desk.looks[0].start, abs=0.001)
    assert windows[-1]["data"] == {"app": desk.looks[0].app, "title": desk.looks[0].title}
    assert {e["data"]["status"] for e in buckets["aw-watcher-afk_box"]["events"]} == {
        "afk",
        "not-afk",
    }
