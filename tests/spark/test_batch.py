"""Decisions on batches of many keys, and wrong use."""

import datetime

import numpy as np
import pandas as pd
import pytest

from selectron import OnlineClassifier, TableEncoder, spark
from selectron.askers import BBQ, Budget, Fixed, Margin
from selectron.errors import SelectronError
from selectron.learners import LASEC, PassiveAggressive
from selectron.model.keyed import generator_of
from selectron.model.packed import VERSION

from .needs import NOISE

pytestmark = [
    pytest.mark.slow,  # Spark takes seconds to start
    pytest.mark.compiles,  # as in the workers
    *map(pytest.mark.filterwarnings, NOISE),
]
N, KEYS = 240, 6
PARTS = {"learner": PassiveAggressive(), "asker": Budget(rate=0.5, asker=Margin(0.5))}
NAMES = {"key": ["site", "user"], "order": "n", "columns": ["a b", "x.y"]}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    found = pd.DataFrame({"site": "s", "user": rng.integers(KEYS, size=N), "n": rng.permutation(N)})
    found[["a b", "x.y"]] = rng.normal(size=(N, 2))
    found["big"] = pd.array([None if n % 7 == 0 else 2**60 + n for n in found.n], "Int64")
    found["label"] = np.where(found["a b"] > found.n / N - 0.5, "up", "down")
    return found


@pytest.fixture(scope="module")
def frames(session, table):
    columns = [name for name in table if name != "label"]
    frame = session.createDataFrame(table[columns])
    return frame, session.createDataFrame(table[["site", "user", "n", "label"]])


def options(frames, **others):
    return {**NAMES, "classes": ["down", "up"], "labels": frames[1], **PARTS, **others}


def test_a_batch_with_labels_equals_a_run_of_each_key(frames, table):
    decided = spark.decide(frames[0], **options(frames))
    decided = decided.withColumn("big", decided.big.cast("string")).toPandas()
    names = ["site", "user", "n", "a b", "x.y", "big"]
    added = ["label", "proba", "ask", "ask_probability", "ticket"]
    assert list(decided) == names + added
    for user in range(KEYS):
        own = table[table.user == user].sort_values("n")
        found = decided[decided.user == user].sort_values("n")
        draws = generator_of(0, ("s", user))
        clf = OnlineClassifier(**PARTS, classes=["down", "up"], random_state=draws)
        run = clf.run(own[["a b", "x.y"]].to_numpy(), own.label.to_numpy())
        assert (run.prediction == found.label).all()
        assert (run.asked == found.ask).all()
        assert (run.ask_probability == found.ask_probability).all()
        assert (run.proba == np.stack(found.proba)).all()
        assert (found.ticket == np.where(run.asked, np.cumsum(run.asked), 0)).all()
        assert [str(n + 2**60) if n % 7 else "" for n in own.n] == found.big.fillna("").tolist()


def test_models_of_one_batch_go_on_in_the_next(session, frames, table):
    early, late = frames[0].where("n < 100"), frames[0].where("n >= 100")
    models = spark.models(early, **options(frames))
    assert models.columns == ["site", "user", "state"]
    whole = spark.decide(frames[0], **options(frames)).where("n >= 100")
    parts = spark.decide(late, **options(frames, states=models))
    kept = ["user", "n", "label", "proba", "ticket"]
    one, other = (
        f.select(kept).toPandas().sort_values("n").to_dict("list") for f in (whole, parts)
    )
    assert str(one) == str(other)


def test_a_model_whose_key_has_no_row_decides_nothing(frames):
    models = spark.models(frames[0].where("n < 100"), **options(frames))
    some = frames[0].where("n >= 100 and user < 2")
    parameters = {name: value for name, value in options(frames).items() if name != "labels"}
    found = spark.decide(some, states=models, **parameters).toPandas()
    assert len(found) == some.count()
    assert set(found.user) == {0, 1}


def test_times_an_encoder_and_many_classes(session, table):
    start = datetime.datetime(2026, 11, 24)
    own = table.assign(at=[start + datetime.timedelta(minutes=int(n)) for n in table.n])
    own["size"] = pd.cut(table["a b"], [-9, -0.5, 0.5, 9], labels=["S", "M", "L"]).astype(str)
    encoder = TableEncoder().fit(own[["a b", "site"]])
    labels = session.createDataFrame(own[["user", "at", "size"]]).withColumnRenamed("size", "label")
    decided = spark.decide(
        session.createDataFrame(own[["user", "at", "a b", "site"]]),
        key="user",
        order="at",
        encoder=encoder,
        classes=["S", "M", "L"],
        labels=labels,
        learner=LASEC(),
        asker=Budget(labels=20, per="1h", asker=Margin(0.5)),
        ttl=datetime.timedelta(hours=1),
        keep=[],
    ).toPandas()
    found = decided.merge(own, on=["user", "at"])
    assert len(found) == N
    assert (found.label_x == found["size"])[found["at"].dt.hour > 0].mean() > 0.5
    assert np.allclose(np.stack(found.proba).sum(axis=1), 1)


def without(frame, name):
    return frame.drop(name)


WRONG = {
    "has no column 'c': it has": {"columns": ["c"]},
    "columns or encoder": {"columns": None},
    "'site' is of string, and must be numbers": {"columns": ["site"]},
    "'x.y' is of double, and must be whole numbers, dates": {"order": "x.y"},
    "'x.y' is of double, and must be texts": {"key": "x.y"},
    "classes must be two or more": {"classes": ["up"]},
    "classes must be texts, whole": {"classes": ["up", 1]},
    "'label' of labels is of string, and the classes are whole": {"classes": [0, 1]},
    "max_open must be a whole number from 1": {"max_open": 0},
    "ttl must be a whole number": {"ttl": datetime.timedelta(days=1)},
    "a period needs an order of times": {"asker": Budget(labels=2, per="1d", asker=Margin(1.0))},
    "asks by the variance": {"asker": BBQ(0.5)},
}


@pytest.mark.parametrize("text", WRONG)
def test_parameters_that_do_not_fit_are_refused_in_a_sentence(frames, text):
    with pytest.raises(SelectronError, match=text) as found:
        spark.decide(frames[0], **options(frames, **WRONG[text]))
    assert str(found.value).count(". ") == 0


def nulls(frame, name):
    from pyspark.sql import functions as F

    return frame.withColumn(name, F.when(F.col("n") != 7, F.col(name)))


def test_rows_and_labels_that_do_not_fit_stop_the_query_with_a_sentence(session, frames):
    from pyspark.errors import PySparkException
    from pyspark.sql import functions as F

    frame, labels = frames
    other = labels.withColumn("label", F.lit("sideways"))
    newer = spark.models(frame, **options(frames))
    newer = newer.withColumn(
        "state", F.concat(F.lit(bytearray([VERSION + 1])), F.expr("substring(state, 2)"))
    )
    wrong = {
        "Column 'user' of the key holds a null: leave out such rows.": (nulls(frame, "user"), {}),
        "Column 'n' of the order holds a null: leave out such rows.": (nulls(frame, "n"), {}),
        "The label sideways, which is neither 'down' nor 'up'.": (frame, {"labels": other}),
        "feature 1 is NaN: every value must be finite": (
            frame.withColumn("x.y", F.lit(None).cast("double")),
            {},
        ),
        f"is of version {VERSION + 1}, and this Selectron reads {VERSION}: install": (
            frame,
            {"states": newer},
        ),
        "is of another learner, other classes or other columns": (
            frame,
            {"states": spark.models(frame, **options(frames)), "learner": LASEC()},
        ),
    }
    for text, (given, changed) in wrong.items():
        with pytest.raises(PySparkException) as found:
            spark.decide(given, **options(frames, **changed)).toPandas()
        assert text in str(found.value)


def test_labels_need_a_row_and_streams_need_rocksdb(session, frames):
    with pytest.raises(SelectronError, match="labels has no column 'ticket' or 'n'"):
        spark.decide(frames[0], **options(frames, labels=frames[1].drop("n")))
    stream = session.readStream.format("rate").load()
    stream = stream.selectExpr("value % 3 AS user", "value AS n", "CAST(value AS DOUBLE) AS a")
    given = {"key": "user", "order": "n", "columns": ["a"], "classes": [0, 1]}
    labels = frames[1].selectExpr("user", "n", "1 AS label")
    with pytest.raises(SelectronError, match="labels must be streaming"):
        spark.decide(stream, labels=labels, **given)
    with pytest.raises(SelectronError, match="models takes a batch"):
        spark.models(stream, **given)
    usual = session.conf.get("spark.sql.streaming.stateStore.providerClass")
    session.conf.set("spark.sql.streaming.stateStore.providerClass", "another")
    try:
        with pytest.raises(SelectronError, match="needs the RocksDB state store"):
            spark.decide(stream, asker=Fixed(0.5), **given)
    finally:
        session.conf.set("spark.sql.streaming.stateStore.providerClass", usual)
