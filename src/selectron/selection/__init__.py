"""Feature selection: by the weights of an online learner, by information gain, or by a game.

kept                    which weights are large
lean, lean_run          predict without the small weights, but learn with all
InformationGain, Game   transformers of scikit-learn with `partial_fit`
"""

from .information import Game, InformationGain
from .lean import Lean, LeanRun, kept, lean, lean_run

__all__ = ["Game", "InformationGain", "Lean", "LeanRun", "kept", "lean", "lean_run"]
