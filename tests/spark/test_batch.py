"""Decisions on batches of many keys."""

import datetime

import numpy as np
import pandas as pd
import pytest
from tests.draws import generator_of

from selectron import OnlineClassifier, TableEncoder, spark
from selectron.askers import Budget, Fixed, Margin
from selectron.errors import SelectronError
from selectron.learners import LASEC, PassiveAggressive
from selectron.model.keyed import VERSION

from .needs import NOISE

pytestmark = [
    pytest.mark.slow,  # Spark takes seconds to start
    pytest.mark.compiles,  # as in the workers
    *map(pytest.mark.filterwarnings, NOISE),
]
N, KEYS = 240, 6
PARTS = {"learner": PassiveAggressive(), "asker": Budget(rate=0.5, asker=Margin(0.5))}
NAMES = {"key": ["site", "user"], "order": "n", "columns": ["a b", "x.y`z"]}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    found = pd.DataFrame({"site": "s", "user": rng.integers(KEYS, size=N), "n": rng.permutation(N)})
    found[["a b", "x.y`z"]] = rng.normal(size=(N, 2))
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
    names = ["site", "user", "n", "a b", "x.y`z", "big"]
    added = ["label", "proba", "ask", "ask_probability", "ticket"]
    assert list(decided) == names + added
    for user in range(KEYS):
        own = table[table.user == user].sort_values("n")
        found = decided[decided.user == user].sort_values("n")
        draws = generator_of(0, ("s", user))
        clf = OnlineClassifier(**PARTS, classes=["down", "up"], random_state=draws)
        run = clf.run(own[["a b", "x.y`z"]].to_numpy(), own.label.to_numpy())
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
            frame.withColumn("x.y`z", F.lit(None).cast("double")),
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


def test_streams_need_rocksdb(session):
    stream = session.readStream.format("rate").load()
    stream = stream.selectExpr("value % 3 AS user", "value AS n", "CAST(value AS DOUBLE) AS a")
    given = {"key": "user", "order": "n", "columns": ["a"], "classes": [0, 1]}
    usual = session.conf.get("spark.sql.streaming.stateStore.providerClass")
    session.conf.set("spark.sql.streaming.stateStore.providerClass", "another")
    try:
        with pytest.raises(SelectronError, match="needs the RocksDB state store"):
            spark.decide(stream, asker=Fixed(0.5), **given)
    finally:
        session.conf.set("spark.sql.streaming.stateStore.providerClass", usual)
