"""Verdicts follow from intervals, and the record, `--list` and the documents agree on them."""

import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from experiments import PAPERS, drawing, report
from experiments.__main__ import main, run
from experiments.findings import all_above
from experiments.verdicts import (
    FAILS,
    HOLDS,
    LEVEL,
    UNDECIDED,
    band,
    every,
    most,
    opposite,
    paired,
    some,
)
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.experiments.results import made_up

ROOT = Path(__file__).parents[2]
SURE, WRONG = paired([3.0, 4, 5, 6], [0, 1.1, 2, 3]), paired([0, 1.1, 2, 3], [3.0, 4, 5, 6])
COLUMNS = "IELLIP", "PA", "MIRA", "Perceptron", "LeadingHistory"  # of the ellipsoid's table
OPEN = paired([0.1, -0.1, 0.2, 0.0], [0, 0, 0, 0])


def test_an_interval_decides_or_does_not():
    assert (SURE.above(), WRONG.above(), OPEN.above()) == (HOLDS, FAILS, UNDECIDED)
    assert (SURE.below(0), WRONG.below(0), OPEN.below(0)) == (FAILS, HOLDS, UNDECIDED)
    assert (SURE.above(2.5), SURE.above(3.5)) == (HOLDS, FAILS)
    assert (OPEN.within(1.0), SURE.within(1.0), OPEN.within(0.1)) == (HOLDS, FAILS, UNDECIDED)
    assert paired([0.5, 0.5], [0.5, 0.5]).above() == FAILS
    assert paired([0.9], [0.5]).above() == UNDECIDED


def test_a_large_lead_with_few_draws_is_undecided():
    gap = paired([0.9, 0.95, 0.5], [0.6, 0.55, 0.57])
    assert gap.gap > 0.19
    assert gap.above() == UNDECIDED


def test_several_comparisons_are_decided_together():
    assert every([SURE, SURE]) == HOLDS
    assert every([SURE, OPEN]) == UNDECIDED
    assert every([SURE, OPEN, WRONG]) == FAILS
    assert (most([SURE, SURE, WRONG]), most([SURE, WRONG, WRONG])) == (HOLDS, FAILS)
    assert most([SURE, OPEN, WRONG]) == UNDECIDED
    assert all_above("A.", {}, "With").verdict == UNDECIDED


@pytest.mark.slow
def test_intervals_cover_as_often_as_they_say():
    rng = np.random.default_rng(0)
    wrong = sum(paired(rng.normal(size=10), np.zeros(10)).above() != UNDECIDED for _ in range(4000))
    assert 0.005 < wrong / 4000 < 0.017


@pytest.mark.parametrize("seed", range(20))
def test_bands_stay_within_what_is_possible(seed):
    rng = np.random.default_rng(seed)
    values = rng.beta(0.1, 0.1, size=(rng.integers(1, 5), 6))
    mean, low, high = band(values)
    assert (low >= 0).all()
    assert (high <= 1).all()
    assert (low <= mean).all()
    assert (mean <= high).all()
    assert np.array_equal(band(100 * values, (0, np.inf))[1] < 0, np.zeros(6, bool))


SHARES = st.floats(0, 1) | st.sampled_from([0.0, 1.0, 1e-300, 1 - 2**-53])


@given(arrays(float, st.tuples(st.integers(1, 6), st.integers(1, 5)), elements=SHARES))
def test_bands_of_extremes_stay_within_what_is_possible(values):
    for scale, most_ in ((1.0, 1.0), (1e6, np.inf)):  # a share, and a count
        mean, low, high = band(scale * values, (0.0, most_))
        assert ((low >= 0) & (high <= most_)).all()
        assert ((low <= mean + 1e-12 * scale) & (mean <= high + 1e-12 * scale)).all()


def test_bands_that_are_not_cut_off_are_student_s():
    mean, low, high = band([[0.4], [0.5], [0.6]])
    assert [mean[0] - low[0], high[0] - mean[0]] == pytest.approx([0.2484138, 0.2484138])
    assert [end[0] for end in band([[0.0], [0.0], [0.2]])][1] == 0.0
    assert [end[0] for end in band([[1.0], [1.0], [0.8]])][2] == 1.0


@pytest.mark.parametrize("draw", [drawing.curve, drawing.points])
def test_drawn_bands_stay_within_what_is_possible(draw):
    _, axes = drawing.panels(1)
    rows = np.array([[0.0, 1.0, 0.01], [0.0, 1.0, 0.9], [0.1, 0.7, 0.99]])
    draw(axes[0, 0], [1, 2, 3], rows, "all", 0)
    paths = [path.vertices for drawn in axes[0, 0].collections for path in drawn.get_paths()]
    heights = np.concatenate(paths)[:, 1]
    assert heights.min() == 0.0
    assert heights.max() == 1.0


GAPS = st.lists(st.integers(-1000, 1000), min_size=2, max_size=12)
MARGIN = st.integers(-1000, 1000)


@given(GAPS, MARGIN)
def test_a_claim_and_its_opposite_are_never_both_so(values, margin):
    gap = paired(values, np.zeros(len(values)))
    swapped = paired(np.zeros(len(values)), values)
    low, high = gap.interval()
    assert gap.above(margin) == swapped.below(-margin)
    if margin not in (low, high):  # to the boundary only one of both may be open
        assert gap.above(margin) == opposite(gap.below(margin))
    assert (gap.above(margin) == HOLDS) <= (gap.gap > margin)
    assert (gap.above(margin) == FAILS) <= (gap.gap <= margin)


@given(GAPS, st.integers(1, 1000), st.integers(1, 1000))
def test_a_wider_margin_never_makes_two_methods_less_alike(values, margin, more):
    gap, order = paired(values, np.zeros(len(values))), [FAILS, UNDECIDED, HOLDS]
    narrow, wide = gap.within(margin), gap.within(margin + more)
    assert order.index(narrow) <= order.index(wide)
    if narrow == HOLDS:
        assert gap.below(margin) == gap.above(-margin) == HOLDS


@given(st.lists(GAPS, min_size=1, max_size=4))
def test_several_comparisons_agree_with_each(columns):
    gaps = [paired(values, np.zeros(len(values))) for values in columns]
    each = [gap.above() for gap in gaps]
    verdict = every(gaps)
    assert (verdict == HOLDS) == (set(each) == {HOLDS})
    assert (verdict == FAILS) <= (FAILS in each)
    below = [gap.below(0.0) for gap in gaps]
    assert (some(gaps, 0.0) == FAILS) == (set(below) == {FAILS})
    assert (some(gaps, 0.0) == HOLDS) <= (HOLDS in below)


@pytest.mark.slow
def test_of_many_one_is_wrong_by_chance_as_rarely_as_they_say():
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(1000):
        gaps = [paired(rng.normal(size=10), np.zeros(10)) for _ in range(5)]
        wrong += (every(gaps) == FAILS) + (some(gaps, 0.0) == HOLDS)
    assert wrong / 2000 < 2 * (1 - LEVEL)


def test_the_list_has_every_claim_with_its_verdict_and_numbers():
    result = CliRunner().invoke(main, ["--list"])
    assert CliRunner().invoke(main, []).stdout == result.stdout
    text = re.sub(r"\s+", " ", result.stdout)
    for name, claims in report.recorded().items():
        assert PAPERS[name].source in text
        for claim in claims:
            assert claim.verdict in (HOLDS, FAILS, UNDECIDED)
            assert re.sub(r"\s+", " ", f"{claim.verdict} {claim.paper} {claim.measured}") in text


def test_the_document_counts_what_the_record_holds():
    text = re.sub(r"\s+", " ", (ROOT / "docs" / "reproduction.md").read_text("utf-8"))
    for claims in report.recorded().values():
        assert report.counts(claims) in text


@pytest.mark.parametrize("data", ["USPS", "Letter", "Isolet", "Shuttle"])
def test_the_document_s_table_has_the_record_s_errors_and_updates(data):
    text = (ROOT / "docs" / "reproduction.md").read_text("utf-8")
    [row] = re.findall(rf"^\| {data} \| (\d.*, .*) \|$", text, re.MULTILINE)
    claims = report.recorded()["ellipsoid"]
    [errors] = [c.measured for c in claims if c.paper.startswith(f"On {data} ")]
    [updates] = [c.measured for c in claims if "fewer updates" in c.paper]
    counts = dict(re.findall(r"(\w+) ([\d,]+\d)", re.search(rf"{data}: ([^;]+)", updates)[1]))
    for name, cell in zip(COLUMNS, row.split(" | "), strict=True):
        error, *count = cell.split("%, ")
        measured = float(re.search(rf"{name} ([\d.]+)%", errors)[1])
        assert abs(float(error.strip("%")) - measured) <= 0.0501
        assert count == ([counts[name]] if name in counts else [])


@pytest.mark.parametrize("name", PAPERS)
@pytest.mark.slow
def test_the_record_has_the_claims_of_the_experiment(name, tmp_path, monkeypatch):
    monkeypatch.setattr("experiments.__main__.each", made_up)
    findings = run(name, quick=False, workers=1, folder=tmp_path)
    assert [c.paper for c in findings.claims] == [c.paper for c in report.recorded()[name]]


@pytest.mark.slow
def test_a_full_run_is_recorded_and_a_quick_one_is_not(tmp_path, monkeypatch):
    monkeypatch.setattr("experiments.__main__.each", made_up)
    before, record = report.recorded(), tmp_path / "verdicts.json"
    record.write_bytes(report.RECORD.read_bytes())
    monkeypatch.setattr(report, "RECORD", record)
    arguments = ["self_directed", "--workers", "1", "-o", str(tmp_path / "out"), "--record"]
    assert CliRunner().invoke(main, [*arguments, "--quick"]).exit_code == 2
    assert report.recorded() == before
    assert CliRunner().invoke(main, arguments, catch_exceptions=False).exit_code == 0
    assert {name for name in PAPERS if report.recorded()[name] != before[name]} == {"self_directed"}
