"""LASEC, Figure 2: what the paper claims, held against the passes."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from .findings import Claim, Comparison, paired
from .trials.lasec import POINTS

FAR = 0.05  # of accuracy: what is still "not too far" from another, which the paper leaves open


def ends(n: int) -> np.ndarray:
    """Return the rounds that curves are drawn at."""
    return np.linspace(n / POINTS, n, POINTS).astype(int)


def accuracies(results: Sequence[Mapping], n: int) -> np.ndarray:
    """Return the accuracy so far, a row a draw."""
    return 1 - np.array([result["mistakes"] for result in results]) / ends(n)


def each(comparisons: Mapping[Any, Comparison], lead: str) -> str:
    """Return several comparisons as text."""
    return f"{lead} " + "; ".join(f"{name}: {gap}" for name, gap in comparisons.items()) + "."


def supervised_claims(supervised: Mapping, n: int, every: int) -> list[Claim]:
    """Return the claims about panels a and d."""
    scores = {
        data: {name: [r["accuracy"] for r in results] for name, (_, results) in ways.items()}
        for data, ways in supervised.items()
    }
    synthetic, images = scores["gaussian"], scores["usps"]
    first = {
        name: accuracies(results, n)[:, _at(n, every)]
        for name, (_, results) in supervised["gaussian"].items()
    }
    leads = {name: paired(first["SOP"], first[name]) for name in first if name != "SOP"}
    rivals = {name: paired(synthetic["LASEC"], synthetic[name]) for name in list(synthetic)[1:]}
    slightly = paired(images["LASEC"], images["SOP"])
    ours, theirs = list(images)[:2], list(images)[2:]
    lesser = {f"{a} and {b}": paired(images[a], images[b]) for a, b in product(ours, theirs)}
    return [
        Claim(
            "(a) Before the first switch SOP is the best.",
            all(lead.gap >= 0 for lead in leads.values()),
            each(leads, f"SOP after {every} examples, {np.mean(first['SOP']):.1%}, against"),
        ),
        Claim(
            "(a) LASEC deals better with the switches, and outperforms all others.",
            all(rival.above() for rival in rivals.values()),
            each(rivals, f"LASEC in the end, {np.mean(synthetic['LASEC']):.1%}, against"),
        ),
        Claim(
            "(d) On USPS LASEC slightly outperforms SOP.",
            slightly.above(),
            f"LASEC {np.mean(images['LASEC']):.1%}, SOP {np.mean(images['SOP']):.1%}: {slightly}.",
        ),
        Claim(
            "(d) Both outperform the other Perceptron-like learners.",
            all(gap.above() for gap in lesser.values()),
            each(lesser, "Between"),
        ),
    ]


def _at(n: int, round: int) -> int:
    """Return the point of a curve that is the last one up to a round."""
    return int(np.flatnonzero(ends(n) <= round)[-1])


def time_claims(ways: Mapping, n: int, every: int, shown: Sequence[float]) -> list[Claim]:
    """Return the claims about panels b and e."""
    claims = []
    for share, letter in zip(shown, "be", strict=True):
        curves = {name: accuracies(shares[share][2], n) for name, shares in ways.items()}
        first = {name: curve[:, _at(n, every)] for name, curve in curves.items()}
        last = {name: curve[:, -1] for name, curve in curves.items()}
        claims += _of_one_share(f"({letter}, {share:.0%} of the labels)", first, last)
    return [*claims, *_of_the_larger_share(curves, first, last, every, n)]


def _of_one_share(which: str, first: Mapping, last: Mapping) -> list[Claim]:
    early = {name: paired(first["BBQ"], first[name]) for name in first if name != "BBQ"}
    final = {name: paired(last["LASEC-SS"], last[name]) for name in list(last)[1:]}
    fall = paired(first["BBQ"], last["BBQ"])
    return [
        Claim(
            f"{which} Before the first switch BBQ is the best.",
            all(gap.above() for gap in early.values()),
            each(early, f"BBQ, {np.mean(first['BBQ']):.1%}, against"),
        ),
        Claim(
            f"{which} BBQ degrades significantly after the first switch.",
            fall.above(),
            f"BBQ has {np.mean(first['BBQ']):.1%} then, and {np.mean(last['BBQ']):.1%} in the end: "
            f"it loses {fall}.",
        ),
        Claim(
            f"{which} LASEC-SS outperforms all others.",
            all(gap.above() for gap in final.values()),
            each(final, f"LASEC-SS in the end, {np.mean(last['LASEC-SS']):.1%}, against"),
        ),
    ]


def _of_the_larger_share(
    curves: Mapping, first: Mapping, last: Mapping, every: int, n: int
) -> list[Claim]:
    losses = {name: paired(first[name], last[name]) for name in first}
    own = losses.pop("LASEC-SS")
    sop = curves["SOP-SS"]
    later, fifth = _at(n, every), _at(n, n // 5)
    late = paired(curves["LASEC-SS"][:, fifth], last["LASEC-SS"])
    lowest = later + int(sop[:, later:].mean(axis=0).argmin())
    drop, rise = paired(first["SOP-SS"], sop[:, lowest]), paired(last["SOP-SS"], sop[:, lowest])
    return [
        Claim(
            "(e) The average accuracy of LASEC-SS does not decrease.",
            not own.above(),
            f"{np.mean(first['LASEC-SS']):.1%} at the first switch, "
            f"{np.mean(last['LASEC-SS']):.1%} in the end: it loses {own}; but for the first "
            f"{ends(n)[fifth]:,} examples it loses {late}.",
        ),
        Claim(
            "(e) This is in contrary to the others.",
            all(loss.above() for loss in losses.values()),
            each(losses, "Lost from the first switch to the end:"),
        ),
        Claim(
            "(e) SOP-SS rises over time after a drop.",
            drop.above() and rise.above(),
            f"Its lowest accuracy so far is {sop[:, lowest].mean():.1%}, after "
            f"{ends(n)[lowest]:,} examples: {drop} to the first switch, {rise} to the end.",
        ),
    ]


def share_claims(selective: Mapping, supervised: Mapping, shares: Sequence[float]) -> list[Claim]:
    """Return the claims about panels c and f."""
    claims = []
    for letter, (data, ways) in zip("cf", selective.items(), strict=True):
        best = {
            (share, rival): paired(
                _scores(ways, "LASEC-SS", share, "accuracy"),
                _scores(ways, rival, share, "accuracy"),
            )
            for share, rival in product(shares, list(ways)[1:])
            if share in ways[rival] and share in ways["LASEC-SS"]
        }
        claims += [
            _best_everywhere(letter, best),
            _above_sop(letter, ways, [share for share in ways["SOP-SS"] if 0.1 <= share <= 0.6]),
            _with_half(letter, ways, supervised[data]["LASEC"][1], shares),
        ]
    return claims


def _scores(ways: Mapping, name: str, share: float, what: str) -> list[float]:
    return [result[what] for result in ways[name][share][2]]


def _best_everywhere(letter: str, best: Mapping) -> Claim:
    worse = {f"{rival} at {share:.0%}": gap for (share, rival), gap in best.items()}
    failed = {name: gap for name, gap in worse.items() if not gap.above()}
    least = min(worse, key=lambda name: worse[name].gap)
    return Claim(
        f"({letter}) LASEC-SS is the best of the selective samplers.",
        not failed,
        each(failed, f"Not above {len(failed)} of {len(worse)}:")
        if failed
        else f"Above every rival at every share; closest is {least}: {worse[least]}.",
    )


def _above_sop(letter: str, ways: Mapping, shares: Sequence[float]) -> Claim:
    gaps = {
        f"{share:.0%}": paired(
            _scores(ways, "LASEC-SS", share, "later"), _scores(ways, "SOP-SS", share, "later")
        )
        for share in shares
    }
    return Claim(
        f"({letter}) After the first switch LASEC-SS is above SOP-SS at every share from 10% to "
        "60%.",
        all(gap.above() for gap in gaps.values()),
        each(gaps, "At"),
    )


def _with_half(letter: str, ways: Mapping, all_labels: Sequence, shares: Sequence[float]) -> Claim:
    half = min(shares, key=lambda share: abs(share - 0.5))
    asked = float(np.mean(_scores(ways, "LASEC-SS", half, "rate")))
    gap = paired([r["accuracy"] for r in all_labels], _scores(ways, "LASEC-SS", half, "accuracy"))
    return Claim(
        f"({letter}) With half of the labels LASEC-SS is not too far from all of them (here: "
        f"within {100 * FAR:.0f} points).",
        gap.gap < FAR,
        f"With {asked:.1%} of the labels it is below by {gap}.",
    )


def beyond_claim(data: str, name: str, supervised: Mapping, selective: Mapping) -> Claim:
    """Return this project's own claim, for a learner with nothing to choose."""
    gaps = {
        f"{share:.0%} of the labels": paired(
            _scores(selective, name, share, "accuracy"),
            _scores(selective, "LASEC-SS", share, "accuracy"),
        )
        for share in selective[name]
        if share in selective["LASEC-SS"]
    }
    gaps["every label"] = paired(
        *([r["accuracy"] for r in supervised[way][1]] for way in (name, "LASEC"))
    )
    return Claim(
        f"Beyond the paper, {data}: {name} is above LASEC, tuned, at every share of labels.",
        all(gap.above() for gap in gaps.values()),
        each(gaps, "With"),
    )
