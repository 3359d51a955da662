"""Large-margin learners: its tables and its figures."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from selectron.names import written

from . import PAPERS, drawing
from .findings import Findings, band
from .large_margin_claims import NAMES, error, error_claims, feature_claims, image_claims

FEWEST = 4  # features that are drawn; with fewer it is guessing


def findings(
    errors: Mapping[str, Mapping[str, list[dict]]],
    features: Mapping[str, Mapping[str, list[list[dict]]]],
    images: Mapping[str, list[float]],
    pairs: Mapping[str, list[float]],
    ways: Mapping[str, list[Any]],
    size: Any,
) -> Findings:
    """Return the outcome of the experiment."""
    claims = [claim for data in errors for claim in error_claims(data, errors[data])]
    claims += [claim for data in features for claim in feature_claims(data, features[data])]
    tables = {
        "errors": _error_rows(errors, ways),
        "features": _feature_rows(features),
        "weights": [
            {"pixel": i, **dict(zip(images, values, strict=True))}
            for i, values in enumerate(zip(*images.values(), strict=True))
        ],
    }
    figures = {
        "figure-1": _error_figure(errors),
        "figure-3": _feature_figure(features),
        "figure-4": _image_figure(images),
    }
    return Findings(
        "Large-margin learners where the classes change",
        PAPERS["large_margin"].source,
        _setting(size),
        [*claims, *image_claims(images, pairs)],
        tables,
        figures,
    )


def _setting(size: Any) -> list[str]:
    rounds = "500 rounds (USPS) or 800 (texts)" if size.n is None else f"{size.n} rounds"
    return [
        f"Four phases of {rounds} each, {size.trials} trials; bands are 95% intervals over the "
        "trials. Positive are first the digit 3, then 7, against 8, then 9; baseball, then hockey, "
        "against cars, then motorcycles. SRAA, the paper's third set, is not to be had; in its "
        "place stand stories of RCV1 that are of one top-level topic alone: CCAT, then ECAT, "
        "against GCAT, then MCAT. Of texts it counts which words occur, headers aside; words that "
        "fewer than 7 of the 4,000 messages have are left out. There is no constant feature.",
        "Parameters are chosen on the first two phases, by their online error; the error is "
        "counted on the other two, in which learning goes on. NORMA's η and λ are chosen so; its "
        "nu is 0.3. LeadingHistory is this project's own and not the paper's: it has nothing to "
        "choose.",
        f"Figure 3 has {size.selections} trials. The paper does not say which learner plays on the "
        "features that information gain and the game select: here it is PA. They select anew "
        "every 100 and every 250 rounds, by all rows so far, where the paper does so in every "
        "round.",
    ]


# Tables


def _error_rows(errors: Mapping, ways: Mapping) -> list[dict]:
    return [
        {"data": data, "learner": written(ways[name][result["chosen"][0]]).split(":")[0]}
        | {"parameters": written(ways[name][result["chosen"][0]]).partition(":")[2]}
        | {"trial": trial, "error": error(result)}
        for data, learners in errors.items()
        for name, results in learners.items()
        for trial, result in enumerate(results)
    ]


def _feature_rows(features: Mapping) -> list[dict]:
    return [
        {"data": data, "way": name, "trial": trial, "point": i, **point}
        for data, ways in features.items()
        for name, results in ways.items()
        for trial, result in enumerate(results)
        for i, point in enumerate(result)
    ]


# Figures


def _error_figure(errors: Mapping) -> tuple[Any, str]:
    figure, axes = drawing.panels(len(errors))
    for panel, (data, learners) in zip(axes.flat, errors.items(), strict=True):
        for i, (name, results) in enumerate(learners.items()):
            ends = np.array(results[0]["ends"])
            values = np.array([result["mistakes"] for result in results]) / ends
            drawing.curve(panel, ends[3:], values[:, 3:], name, i)
        panel.set_ylim(bottom=0)
        drawing.name_panel(panel, NAMES[data], "examples of phases 3 and 4", "cumulative error")
    drawing.legend(figure, [axes[0, 0]])
    return figure, (
        "As the paper's Figure 1: the cumulative error of the last two phases, right after the "
        "jump between the second and the third."
    )


def _feature_figure(features: Mapping) -> tuple[Any, str]:
    figure, axes = drawing.panels(len(features))
    for panel, (data, ways) in zip(axes.flat, features.items(), strict=True):
        for i, (name, results) in enumerate(ways.items()):
            used, _ = band([[point["used"] for point in result] for result in results])
            mean, half = band([[point["error"] for point in result] for result in results])
            style, some = drawing.style(i, points=True), used >= FEWEST
            panel.errorbar(used[some], mean[some], half[some], label=name, elinewidth=0.8, **style)
        panel.set_xscale("log")
        drawing.name_panel(panel, NAMES[data], "features that predict", "error")
    drawing.legend(figure, [axes[0, 0]])
    return figure, "As the paper's Figure 3: error against how many features predict."


def _image_figure(images: Mapping) -> tuple[Any, str]:
    figure, axes = drawing.panels(len(images))
    for panel, (name, values) in zip(axes.flat, images.items(), strict=True):
        side = round(len(values) ** 0.5)
        panel.grid(False)
        panel.imshow(np.reshape(values, (side, side)), cmap="gray")
        panel.set_title(name, fontsize=9)
        panel.set_xticks([])
        panel.set_yticks([])
    return figure, (
        "As the paper's Figure 4: what each goes by after the fourth phase, a pixel a feature of "
        "USPS. Light is a large |w|; for information gain, over the whole stream, a large gain."
    )
