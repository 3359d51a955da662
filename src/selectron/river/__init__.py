"""Selectron as a classifier for River (https://riverml.xyz), which `selectron[river]` installs."""

from collections.abc import Hashable, Mapping
from copy import deepcopy
from typing import Any

from ..data.dicts import is_dict
from ..data.labels import as_objects
from ..engine.parameters import shown
from ..errors import SelectronError
from ..estimator.classifier import OnlineClassifier
from ..estimator.labelling import check_answer, sample_weights

try:
    from river import base
except ModuleNotFoundError as error:
    if error.name != "river":
        raise
    need = "selectron.river needs River: pip install 'selectron[river]'"
    raise ModuleNotFoundError(need, name="river") from None

__all__ = ["Classifier"]


class Classifier(base.Classifier):
    """`OnlineClassifier` with the methods of River's classifiers.

    `learn_one` decides whether to ask, and learns the label only if it asks: the accuracy that
    River's `progressive_val_score` measures is that with the labels asked for alone.

    Parameters
    ----------
    learner : from `selectron.learners`, default LeadingHistory()
    asker : from `selectron.askers`, default Always()
    encoder : "auto", TableEncoder or None
        Rows may have numbers, categories, dates and text. Features may appear at any time, and are
        blank if a row lacks them. With None, rows hold numbers alone, and a missing feature is 0:
        take it for bags of words, as of `river.feature_extraction.BagOfWords` and `TFIDF`.
    seed : int, default None
    classes, class_weight : default None
        As in `OnlineClassifier`.

    Attributes
    ----------
    classifier : OnlineClassifier
        It does the work: its `decide` and `tell` serve labels that come late, and its `save` and
        `load` keep it, as in `model.classifier = OnlineClassifier.load(path)`.
    n_asked : int
        Number of labels that were asked for.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from selectron.askers import Budget
    >>> model = Classifier(asker=Budget(rate=0.1), seed=0)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 90.06%
    >>> model.n_asked
    192
    """

    def __init__(
        self,
        learner: Any = None,
        asker: Any = None,
        encoder: Any = "auto",
        seed: Any = None,
        classes: Any = None,
        class_weight: Any = None,
    ) -> None:
        self.learner = learner
        self.asker = asker
        self.encoder = encoder
        self.seed = seed
        self.classes = classes
        self.class_weight = class_weight
        kept = {"encoder": encoder, "classes": classes, "class_weight": class_weight}
        self.classifier = OnlineClassifier(learner, asker, **kept, random_state=seed)
        self.n_asked = 0

    def clone(
        self, new_params: dict[str, Any] | None = None, include_attributes: bool = False
    ) -> "Classifier":
        """Return a classifier with these parameters that has learned nothing.

        River's own method takes a tuple for a class and its parameters, and ours are tuples. With
        `include_attributes`, the copy knows what this one has learned.
        """
        params = self._get_params()
        twin = type(self)(**deepcopy(params | (new_params or {})))
        if include_attributes:
            vars(twin).update(deepcopy({k: v for k, v in vars(self).items() if k not in params}))
        return twin

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: Mapping[Hashable, Any], y: Any, w: float = 1.0) -> None:
        """Decide whether to ask for the label of a row, and if so learn it w times.

        Raises SelectronError if x is no dict, y cannot be a label, or w is negative or not finite.
        """
        features = row(x)
        check_answer(self.classifier, y)  # before the row counts
        if w != 1:
            sample_weights(w, None)
        decision = self.classifier.decide(features)
        if decision.ticket is not None:
            self.classifier.tell(decision.ticket, y, w)
            self.n_asked += 1

    def predict_one(self, x: Mapping[Hashable, Any], **kwargs: Any) -> Any:
        """Return the predicted class of a row; None before the first label."""
        return as_objects(self.classifier.predict([row(x)]))[0] if self._has_learned() else None

    def predict_proba_one(self, x: Mapping[Hashable, Any], **kwargs: Any) -> dict[Any, float]:
        """Return the probability of every class; none before the first label."""
        if not self._has_learned():
            return {}
        (chances,) = self.classifier.predict_proba([row(x)]).tolist()
        return dict(zip(as_objects(self.classifier.classes_), chances, strict=True))

    def _has_learned(self) -> bool:
        """Return whether the classifier has learned a label, here or by its own methods."""
        return hasattr(self.classifier, "model_") and self.classifier.model_.labels > 0


def row(x: Mapping[Hashable, Any]) -> dict[str, Any]:
    """Return the features of a row by their names as text, in their order.

    >>> row({"b": 2, 1: 3})
    {'1': 3, 'b': 2}
    """
    if not is_dict(x):
        raise SelectronError(f"A row must be a dict, got {shown(x)}.")
    found = {str(name): x[name] for name in sorted(x, key=str)}
    if len(found) < len(x):
        raise SelectronError(f"Two features have the same name as text: {shown(list(x))[:80]}.")
    return found
