"""Feature selection: by the weights of an online learner, by information gain, or by a game.

kept                  which weights are too large to be dropped
lean, lean_run        predict without the others, and learn with all
WeightSelector, InformationGain, Game
                      transformers of scikit-learn, for streams too (`partial_fit`)
"""

from .game_selector import Game
from .information_gain import InformationGain
from .lean import Lean, LeanRun, lean, lean_run
from .weight_selector import WeightSelector
from .weights import dropped, kept

__all__ = [
    "Game",
    "InformationGain",
    "Lean",
    "LeanRun",
    "WeightSelector",
    "dropped",
    "kept",
    "lean",
    "lean_run",
]
