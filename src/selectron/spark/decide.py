"""Decisions about the rows of many keys, each by a model of its own."""

from collections.abc import Sequence
from datetime import timedelta
from inspect import signature
from typing import Any

from ..askers import Always
from ..engine.parameters import whole
from ..errors import SelectronError
from ..learners import LeadingHistory
from ..model.keyed import Keyed
from . import checks
from .checks import PROVIDER, ROCKSDB
from .columns import UnitedColumns

LEARNER = LeadingHistory(fourier=0)  # the state of a key with 10 features takes 12 kB


def decide(
    frame: Any,
    *,
    key: str | Sequence[str],
    order: str,
    classes: Sequence,
    columns: Sequence[str] | None = None,
    encoder: Any = None,
    learner: Any = None,
    asker: Any = None,
    labels: Any = None,
    time: str | None = None,
    keep: Sequence[str] | None = None,
    states: Any = None,
    max_open: int = 100,
    ttl: int | timedelta | None = None,
    many: str | None = None,
    fit_intercept: bool = True,
    normalize: bool | None = None,
    random_state: int = 0,
) -> Any:
    """Return a DataFrame with a decision about each row, of the model of its key.

    Each key has a model of its own, which plays its rows in their order, and learns labels whenever
    they come. On a stream, the models are the state of the query. The columns that are added are
    `label`, the predicted class; `proba`, the probabilities of the classes; `ask`, whether the
    label is asked for; `ask_probability`; and `ticket`, the question's number within the key, or 0.

    Parameters
    ----------
    frame : DataFrame, streaming or batch
    key : str or list of str
        Columns of text, whole numbers or booleans.
    order : str
        A column of whole numbers, dates or times, unique within a key. Rows of a key that come in
        one batch are played in this order.
    classes : list
        At least two classes: texts, whole numbers or booleans. Of two, the second is +1.
    columns : list of str
        Columns of numbers: the features. Or give an encoder.
    encoder : TableEncoder
        A fitted one, whose columns the frame has. All keys share it, and it learns nothing more.
    learner : from `selectron.learners`, default LeadingHistory(fourier=0)
    asker : from `selectron.askers`, default Always()
        A budget holds for each key.
    labels : DataFrame, default None
        It is streaming if `frame` is, and has the columns of the key; `label`; and `ticket` or the
        order column, which name the row. Of labels that come twice the first counts; labels of rows
        that were not asked for, or whose tickets have expired, change nothing.
    time : str, default None
        A column of `labels` of the order's type: a label is learned after the rows up to that time,
        whatever batch it comes in. Without one, it is learned as soon as it comes: before the rows
        of its batch or, if its own row is among them, right after that row.
    keep : list of str, default None
        Columns of `frame` in the result, besides the key and the order. None keeps all.
    states : DataFrame, default None
        Models to start from, as `models` returns them.
    max_open : int, default 100
        Number of open tickets of a key; beyond it, the oldest expires.
    ttl : int or timedelta, default None
        Tickets expire whose row is this far behind the newest row of the key, in the order.
    many, fit_intercept, normalize
        As of `OnlineClassifier`.
    random_state : int, default 0
        Each key has draws of its own, a function of (random_state, key).

    Notes
    -----
    Raises SelectronError if a parameter or a column does not fit. A query stops with an error of
    one sentence if it meets a null in a column of the key or the order, a label that is none of the
    classes, a row that is not finite, or a state of another version or of other parameters.

    Examples
    --------
    >>> from selectron import spark
    >>> from selectron.learners import Perceptron
    >>> session = spark.session("local[2]")
    >>> rows = [("a", 1, 2.0), ("a", 2, -1.0), ("b", 1, 1.0), ("b", 2, 1.0)]
    >>> frame = session.createDataFrame(rows, "sensor string, t long, heat double")
    >>> labels = session.createDataFrame([("b", 1, "hot")], "sensor string, t long, label string")
    >>> ours = {"key": "sensor", "order": "t", "classes": ["hot", "cold"], "columns": ["heat"]}
    >>> decided = spark.decide(frame, **ours, learner=Perceptron(), labels=labels)
    >>> [(row.sensor, row.t, row.label) for row in decided.orderBy("sensor", "t").collect()]
    [('a', 1, 'cold'), ('a', 2, 'cold'), ('b', 1, 'cold'), ('b', 2, 'hot')]
    """
    found = _planned(**locals())
    return _stream(*found, states) if frame.isStreaming else _batch(*found, states, final=False)


def models(frame: Any, *, states: Any = None, **parameters: Any) -> Any:
    """Return a DataFrame of the columns of the key and `state`: the models after a batch.

    Parameters are those of `decide`, whose `states` takes the result, on a stream too.

    >>> from selectron import spark
    >>> session = spark.session("local[2]")
    >>> ours = {"key": "sensor", "order": "t", "classes": ["hot", "cold"], "columns": ["heat"]}
    >>> schema = "sensor string, t long, heat double"
    >>> today = session.createDataFrame([("a", 1, 2.0), ("b", 1, -1.0)], schema)
    >>> kept = spark.models(today, **ours)
    >>> sorted(row.sensor for row in kept.collect())
    ['a', 'b']
    >>> tomorrow = session.createDataFrame([("a", 2, 1.0)], schema)
    >>> [row.ticket for row in spark.decide(tomorrow, states=kept, **ours).collect()]
    [2]
    """
    if frame.isStreaming:
        raise SelectronError(
            "models takes a batch: the models of a stream are in its checkpoint, where Spark's "
            'format "statestore" reads them.'
        )
    try:
        given = signature(decide).bind(frame, states=states, **parameters)
    except TypeError as error:
        raise TypeError(f"models() {error}") from None
    given.apply_defaults()
    return _batch(*_planned(**given.arguments | {"keep": []}), states, final=True)


def _planned(
    frame: Any, key: Any, order: str, labels: Any, time: Any, keep: Any, **given: Any
) -> tuple[UnitedColumns, Keyed]:
    """Return the columns of the rows and the labels, and how they are played; check everything."""
    from .handler import encoding

    keys = [key] if isinstance(key, str) else list(key)
    columns, encoder, asker = given["columns"], given["encoder"], given["asker"] or Always()
    if (columns is None) == (encoder is None):
        raise SelectronError("decide takes either columns or encoder.")
    if encoder is not None and not hasattr(encoder, "columns_"):
        raise SelectronError("encoder must be a fitted TableEncoder: call its fit first.")
    names = list(columns if encoder is None else encoder.columns_)
    others = [name for name in frame.columns if name not in (*keys, order)]
    kept = others if keep is None else list(keep)
    checks.names("The frame", frame, [*keys, order, *names, *kept])
    checks.types(frame, keys, order, names if encoder is None else [])
    classes = checks.classes(given["classes"])
    if labels is not None:
        checks.labels(labels, frame, keys, order, time, classes)
    dated = checks.dated(frame, order)
    if getattr(asker, "per", None) is not None and not dated:
        raise SelectronError(f"A budget for a period needs an order of times: {order!r} has none.")
    keyed = Keyed(
        given["learner"] or LEARNER,
        asker,
        width=len(names) if encoder is None else encoder.width_,
        classes=len(classes),
        sparse=encoder is not None and encoder.sparse_,
        many=given["many"],
        constant=bool(given["fit_intercept"]),
        normalize=given["normalize"],
        random_state=whole("random_state", given["random_state"], least=0),
        max_open=whole("max_open", given["max_open"]),
        ttl=checks.time_to_live(given["ttl"], dated),
        names=(classes, tuple(names)),
    )
    keyed.step((), None, None, None)  # raises SelectronError if parameters do not fit together
    encode = None if encoder is None else encoding(encoder)
    found = UnitedColumns(frame, keys, order, kept, classes, names, encode)
    if labels is not None:
        found.add_labels(labels, time)
    return found, keyed


def _stream(found: UnitedColumns, keyed: Keyed, states: Any) -> Any:
    from .handler import KeyStep, Processor

    rows = found.together
    if rows.sparkSession.conf.get(PROVIDER, "") != ROCKSDB:
        raise SelectronError(
            "A stream needs the RocksDB state store: start Spark with selectron.spark.session, or "
            f"set {PROVIDER} to {ROCKSDB}."
        )
    decided = rows.groupBy(*found.key_names).transformWithStateInPandas(
        statefulProcessor=Processor(KeyStep(keyed, rows.columns, found.classes)),
        outputStructType=found.schema(),
        outputMode="Append",
        timeMode="None",
        initialState=None if states is None else found.states(states).groupBy(*found.key_names),
    )
    return found.restored(decided)


def _batch(found: UnitedColumns, keyed: Keyed, states: Any, final: bool) -> Any:
    """Return the decisions of a batch, or the final models."""
    from .handler import KeyStep, of_group

    if states is not None:
        found.add_states(states)
    rows = found.together
    decided = rows.groupBy(*found.key_names).applyInPandas(
        of_group(KeyStep(keyed, rows.columns, found.classes), final), found.schema(of_states=final)
    )
    return decided.toDF(*found.keys, "state") if final else found.restored(decided)
