"""Verdicts follow from intervals, and the record, `--list` and the documents agree on them."""

import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from experiments import PAPERS, record
from experiments.__main__ import main, run
from experiments.findings import all_above
from experiments.verdicts import FAILS, HOLDS, UNDECIDED, band, every, most, paired
from tests.experiments.results import made_up

ROOT = Path(__file__).parents[2]
SURE, WRONG = paired([3.0, 4, 5, 6], [0, 1.1, 2, 3]), paired([0, 1.1, 2, 3], [3.0, 4, 5, 6])
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


def known():
    return record.read()


def test_the_list_has_every_claim_with_its_verdict_and_numbers():
    result = CliRunner().invoke(main, ["--list"])
    assert CliRunner().invoke(main, []).stdout == result.stdout
    text = re.sub(r"\s+", " ", result.stdout)
    for name, claims in known().items():
        assert PAPERS[name].source in text
        for claim in claims:
            assert claim.verdict in (HOLDS, FAILS, UNDECIDED)
            assert re.sub(r"\s+", " ", f"{claim.verdict} {claim.paper} {claim.measured}") in text


def test_the_document_counts_what_the_record_holds():
    text = re.sub(r"\s+", " ", (ROOT / "docs" / "reproduction.md").read_text("utf-8"))
    for claims in known().values():
        assert record.counts(claims) in text


@pytest.mark.parametrize("name", PAPERS)
def test_the_record_has_the_claims_of_the_experiment(name, tmp_path, monkeypatch):
    monkeypatch.setattr("experiments.__main__.each", made_up)
    findings = run(name, quick=False, workers=1, folder=tmp_path)
    recorded = known().get(name, findings.claims)
    assert [c.paper for c in findings.claims] == [c.paper for c in recorded]


def test_a_full_run_is_recorded_and_a_quick_one_is_not(tmp_path, monkeypatch):
    monkeypatch.setattr("experiments.__main__.each", made_up)
    monkeypatch.setattr(record, "RECORD", tmp_path / "verdicts.json")
    arguments = ["self_directed", "--workers", "1", "-o", str(tmp_path / "out"), "--record"]
    assert CliRunner().invoke(main, [*arguments, "--quick"]).exit_code == 2
    assert "not recorded yet" in CliRunner().invoke(main, ["--list"]).stdout
    assert CliRunner().invoke(main, arguments, catch_exceptions=False).exit_code == 0
    assert list(record.read()) == ["self_directed"]
