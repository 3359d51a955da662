"""The papers' experiments: the claims of each, and the results here.

A paper is one file with the sizes `FULL` and `QUICK`, and a function `run(play, size)` that returns
its `Findings`; `play` computes trials, functions in `trials/`, which are stored under their
arguments and their code.
"""

from collections import namedtuple

Paper = namedtuple("Paper", ["title", "source", "about"])
PAPERS = {
    "lasec": Paper(
        "Selective sampling with drift: LASEC",
        "Moroshko & Crammer, “Selective Sampling with Drift” (AISTATS 2014), Figure 2",
        "accuracy over time and against share of labels, on concepts that switch",
    ),
    "ellipsoid": Paper(
        "Online learning by ellipsoid method: IELLIP and CELLIP",
        "Yang, Jin & Ye, “Online Learning by Ellipsoid Method” (ICML 2009), a talk",
        "error and updates of IELLIP, PA and MIRA with many classes; how CELLIP's volume shrinks",
    ),
    "large_margin": Paper(
        "Large-margin learners where the classes change",
        "Shen & Dietterich, “A Family of Large Margin Linear Classifiers and Its Application in "
        "Dynamic Environments” (SDM 2009), Figures 1, 3 and 4",
        "error where the classes change, with all features and with few",
    ),
    "selective_sampling": Paper(
        "Selective sampling for linear-threshold algorithms",
        "Cesa-Bianchi, Gentile & Zaniboni, “Worst-Case Analysis of Selective Sampling for "
        "Linear-Threshold Algorithms” (NIPS 2004), Figure 3",
        "F-measure and label rate on news, by margin and at random",
    ),
    "self_directed": Paper(
        "Self-directed linear classification",
        "Diakonikolas, Kontonis, Tzamos & Zarifis, “Self-Directed Linear Classification” "
        "(COLT 2023), Theorems 3 and 4",
        "mistakes where the learner chooses the order, on the sphere and on arbitrary points",
    ),
}
