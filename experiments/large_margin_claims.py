"""Large-margin learners: what the paper claims, held against the passes."""

from collections.abc import Mapping

import numpy as np

from .findings import Claim, Comparison, paired

NAMES = {"usps": "USPS", "newsgroups": "20 Newsgroups", "rcv1": "RCV1"}
OURS = "objective", "L2"
BEYOND = "LeadingHistory"  # this project's own, with nothing to set
ALIKE = 0.01  # of error: what counts as similar, or as not hurt, which the paper leaves open


def error(result: Mapping) -> float:
    """Return the share of mistakes in the last two phases."""
    return float(result["mistakes"][-1] / result["ends"][-1])


def error_claims(data: str, learners: Mapping) -> list[Claim]:
    """Return the claims about Figure 1."""
    scores = {name: [error(result) for result in results] for name, results in learners.items()}
    means = "; ".join(f"{name} {np.mean(values):.2%}" for name, values in scores.items()) + "."
    lead = {
        f"{ours} against {rival}": paired(scores[rival], scores[ours])
        for ours in OURS
        for rival in ("PA", "NORMA", "Bayesian")
    }
    theirs = {name: float(np.mean(scores[name])) for name in scores if name != BEYOND}
    worst = max(theirs, key=lambda name: theirs[name])
    best = min(theirs, key=lambda name: theirs[name])
    ahead = paired(scores[best], scores[BEYOND])
    alike = paired(scores["L1"], scores["L2"])
    claims = [
        Claim(
            f"{NAMES[data]}: objective- and L2-regularised learners are clearly superior.",
            all(gap.above() for gap in lead.values()),
            f"Errors: {means} " + "; ".join(f"{name}: {gap}" for name, gap in lead.items()) + ".",
        ),
        Claim(f"{NAMES[data]}: NORMA is the worst.", worst == "NORMA", f"Worst is {worst}."),
        Claim(
            f"{NAMES[data]}: L1- and L2-constrained learners perform similarly.",
            abs(alike.gap) < ALIKE,
            f"L1 {np.mean(scores['L1']):.2%}, L2 {np.mean(scores['L2']):.2%}: {alike}.",
        ),
        Claim(
            f"Beyond the paper, {NAMES[data]}: {BEYOND} errs less than the best of them.",
            ahead.above(),
            f"{BEYOND} {np.mean(scores[BEYOND]):.2%}, {best} {theirs[best]:.2%}: {ahead}.",
        ),
    ]
    if data == "rcv1":  # the paper's exception, seen on SRAA
        claims[0] = Claim(
            "The third text set (there SRAA, here RCV1): in the end the Bayesian Perceptron is "
            "ahead of the regularised learners.",
            all(lead[f"{ours} against Bayesian"].gap < 0 for ours in OURS),
            f"Errors: {means}",
        )
    return claims


def feature_claims(data: str, ways: Mapping) -> list[Claim]:
    """Return the claims about Figure 3."""
    counts = np.array([point["used"] for point in ways["information gain"][0]])
    at = {name: _at(results, counts) for name, results in ways.items()}
    gaps = _gaps(counts, at["information gain"], at["L2"])
    few = _gaps(counts, at["L1"], at["L2"])
    lean, full = _with_half(ways["L2"])
    hurt = paired(lean, full)
    named = NAMES[data]
    claims = [
        Claim(
            f"{named}: in most cases, leaving out small weights (L2) is significantly better than "
            "information gain.",
            2 * sum(gap.above() for gap in gaps.values()) > len(gaps),
            _with(gaps),
        ),
        Claim(
            f"{named}: the accuracy of L2 is not hurt when more than half of the features go.",
            hurt.gap < ALIKE,
            f"With half of the weights that it used or fewer the error is {np.mean(lean):.2%}, "
            f"with all {np.mean(full):.2%}: {hurt}.",
        ),
        Claim(
            f"{named}: with few features L1 does worse than L2.",
            bool(few) and next(iter(few.values())).above(),
            _with(few),
        ),
    ]
    return [*claims, *(_game_claim(named, counts, at) if "game" in ways else [])]


def _game_claim(named: str, counts: np.ndarray, at: Mapping[str, np.ndarray]) -> list[Claim]:
    better = _gaps(counts, at["information gain"], at["game"])
    return [
        Claim(
            f"{named}: the game selects better features than information gain.",
            all(gap.gap > 0 for gap in better.values()),
            _with(better),
        )
    ]


def _gaps(counts: np.ndarray, worse: np.ndarray, better: np.ndarray) -> dict[str, Comparison]:
    """Compare the errors of two ways at each number of features that all trials came to."""
    return {
        f"{int(k)} features": paired(worse[:, i], better[:, i])
        for i, k in enumerate(counts)
        if not np.isnan(worse[:, i] + better[:, i]).any()
    }


def _with(gaps: Mapping[str, Comparison]) -> str:
    return "With " + "; ".join(f"{name}: {gap}" for name, gap in gaps.items()) + "."


def _at(results: list[list[dict]], counts: np.ndarray) -> np.ndarray:
    """Return the error of each trial (rows) with so many features, NaN outside of what was played.

    >>> points = [{"used": 100.0, "error": 0.1}, {"used": 10.0, "error": 0.2}]
    >>> _at([points], np.array([10, 55, 200]))
    array([[0.2 , 0.15,  nan]])
    """
    return np.array(
        [
            np.interp(
                counts,
                [point["used"] for point in result[::-1]],
                [point["error"] for point in result[::-1]],
                left=np.nan,
                right=np.nan,
            )
            if result[0]["used"] > result[-1]["used"]
            else [point["error"] for point in result]
            for result in results
        ]
    )


def _with_half(results: list[list[dict]]) -> tuple[list[float], list[float]]:
    """Return the errors with the most weights that are half of all or fewer, and with all."""
    halves = [
        next((point for point in result if point["used"] <= result[0]["used"] / 2), result[-1])
        for result in results
    ]
    return [point["error"] for point in halves], [result[0]["error"] for result in results]


def image_claims(images: Mapping, pairs: Mapping) -> list[Claim]:
    """Return the claims about Figure 4."""
    now = {name: np.corrcoef(values, pairs["7 and 9"])[0, 1] for name, values in images.items()}
    past = {name: np.corrcoef(values, pairs["3 and 8"])[0, 1] for name, values in images.items()}
    focus = {name: now[name] - past[name] for name in images}
    half = {
        name: int((np.sort(values)[::-1].cumsum() < np.sum(values) / 2).sum()) + 1
        for name, values in images.items()
    }
    told = "; ".join(f"{name} {now[name]:.2f} and {past[name]:.2f}" for name in images)
    return [
        Claim(
            "Figure 4: in the end the regularised learners tell 7 and 9 apart, PA less so, and "
            "information gain does not.",
            min(focus["L2"], focus["L1"]) > focus["PA"] > focus["information gain"],
            f"Correlation of |w| with where 7 and 9 differ, and with where 3 and 8 do: {told}.",
        ),
        Claim(
            "Figure 4: L1 puts larger weights on fewer features.",
            half["L1"] < half["L2"],
            "So many of 256 weights make up half of the sum of all: "
            + "; ".join(f"{name} {count}" for name, count in half.items())
            + ".",
        ),
    ]
