"""Odd values of every kind: blocks, single rows and a literal reference agree, and none raises."""

import collections
import itertools
import json
import math
import random
import re
import uuid
import warnings
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.utils import murmurhash3_32
from tests.data.test_encoder_cuts import bits, saved

from selectron.data.encoder import TableEncoder
from selectron.data.numbers import is_outlier
from selectron.data.times import iso_duration
from selectron.data.values import number_of, unit_of
from selectron.errors import SelectronError

ODD = [
    *("", "?", "NA", " nan ", "None", "n/a", "true", "x", "abc", "two words here now", "a\nb cd"),
    *("inf", "-inf", "Infinity", "1e400", "-1e400", "1e-400", "+5", "5.", ".5", "-0", "-0.0"),
    *("1,5", "1,234", "1.234,5", "$5", "12 %", "1 234 567,8", "1,23,4", "01,234", "\u20ac -3"),
    "1.234.567",
    *("45.00 EUR", "EUR 1,234.5", "US$ 4", "5 kr", "-3 USD", "ABC 3", "3 EURO", "EUR"),
    *("1_000", "0x10", "\u0661\u0662", "\uff11\uff12", "1" * 400, "1e", "--1"),
    *(" 7 ", "\x1f7", "\xa07", "7\u2003", "\ufeff7", "\x1cNA", "\0a b\0 cd"),
    *("\u0130stanbul \u03a3\u0391\u03a3 \u03a3", "\ufb01ne \u017fharp", "\u212a", "e\u0301t\u00e9"),
    *("2026-01-02", "2026-01-02T03", "2026-01-02 03:04", "2026-01-02 03:04:05.5", "2026-1-2"),
    *("2026-01-02T03:04:05Z", "2026-01-02T03:04:05+01:00", "2026-02-30", "20260102", "2026-W01-1"),
    *("2026-01-02 24:00", "0000-01-01", "9999-12-31 23:59:59.999999", "2026-01-02 0304"),
    *("2300-01-01 00:00:00.333333", "1500-01-01 00:00:00.7", "2026-01-02T03:04:05,5"),
    "2026-01-02T03:04:05.123456789",
    *("23/11/2026", "11/23/2026 8:30 PM", "3.1.2026 07:05", "2026/1/3", "31/02/2026", "1/2/26"),
    *("20260102T030405Z", "3.1.2026 25:00", "13/13/2026", "1-2.2026", "3/1/2026, 00:00:01.5"),
    *("8:30", "23:59:59.5", "24:00", "12:05 am", "7:5"),
    *("3 Nov 2026", "Tue, 03 Nov 2026 08:30:00 +0100 (CET)", "Novel 3, 2026", "Nov 31, 2026"),
    *("\u22125", "(45.00)", "$-45", "-(5)", "- $5", "12,34,567", "1,23,456.5", "12,34,56", "()"),
    *("0:03:24", "1 day, 0:03:24", "P1D", "PT3M24.5S", "-1 days +23:59:00"),
    *("[0.5, 1]", "{1,2}", "[]", "[a]", "[1e400]", "[1 2", "[[1]]", "[nan]", "\\N", "NaT"),
]
USUAL = {
    "number": lambda r: f"{r.gauss(0, 9):.3f}",
    "amount": lambda r: f"{r.lognormvariate(2, 2):,.2f}",
    "written": lambda r: f"{r.gauss(0, 9):.3f} \u20ac".replace(".", ","),
    "date": lambda r: (
        f"20{r.randint(10, 40)}-{r.randint(1, 12):02d}-03T{r.randint(0, 23):02d}:07:09"
    ),
    "european": lambda r: f"{r.randint(1, 28):02d}.{r.randint(1, 12)}.2026 {r.randint(0, 23)}:07",
    "american": lambda r: f"{r.randint(1, 12)}/{r.randint(1, 28):02d}/2026",
    "mail": lambda r: f"Tue, {r.randint(1, 28)} Nov 2026 {r.randint(0, 23)}:07:09 +0100",
    "detected": lambda r: "n.d." if r.random() < 0.3 else f"{r.lognormvariate(2, 1):.2f}",
    "clock": lambda r: f"{r.randint(0, 23)}:{r.randint(0, 59):02d}",
    "category": lambda r: f"v{min(int(r.expovariate(0.05)), 90)}",
    "text": lambda r: " ".join(r.choices(["alpha", "ok", "x", "Été", "a手机b"], k=r.randint(0, 9))),
}
OTHERS = {"amount", "written", "detected", "european", "american", "mail", "clock"}
KINDS = [*({*USUAL} - OTHERS), "vector"]


def odd_table(r, n):
    """Return columns of text with odd cells, some of them blank for a long time."""
    columns = {}
    for j in range(r.randint(1, 5)):
        kind = r.choice(list(USUAL))
        share, blank = r.choice([0.0, 0.02, 0.2]), r.choice([0, 0, 0.2])
        start = r.choice([0, 0, 0, 30, 150])
        columns[f"{kind}{j}"] = [
            None
            if i < start or r.random() < blank
            else r.choice(ODD)
            if r.random() < share
            else USUAL[kind](r)
            for i in range(n)
        ]
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


@pytest.mark.parametrize("seed", range(12))
def test_odd_cells_are_encoded_alike_in_blocks_rows_and_pieces(seed):
    r, n = random.Random(seed), 320
    rows = odd_table(r, n)
    forced = {name: r.choice(KINDS) for name in rows.column_names if r.random() < 0.4}
    form, size = r.choice(["auto", "dense", "sparse"]), r.choice([2**15, 50])
    whole, alone, cut = (TableEncoder(forced, form=form, text_size=size) for _ in range(3))
    expected = bits(whole.learn(rows))
    assert bits([alone.learn_one(row) for row in rows.to_pylist()]) == expected
    assert alone.pack() == whole.pack()
    found = []
    for start, stop in itertools.pairwise([0, *sorted(r.choices(range(n), k=5)), n]):
        found += bits(cut.learn(rows.slice(start, stop - start)))
        cut = saved(cut) if hasattr(cut, "n_rows_") else cut
    assert found == expected
    together = bits([whole.look(rows)])
    assert together == [bits([whole.look([row])])[0] for row in rows.to_pylist()]
    json.dumps(whole.pack(), allow_nan=True)


def test_texts_that_share_places_add_up_alike_in_blocks_and_rows():
    r = random.Random(1)
    rows = [{f"t{j}": USUAL["text"](r) for j in range(5)} for _ in range(150)]
    kinds = {f"t{j}": "text" for j in range(5)}
    together, alone = (TableEncoder(kinds, text_size=9) for _ in range(2))
    table = pa.Table.from_pylist(rows)
    assert bits(together.learn(table)) == bits([alone.learn_one(row) for row in rows])


def reference(rows):
    """Return names and numbers of rows with "n", "c", "d" and "t", in plain Python."""
    places, found, seen = {}, [], {"n": [], "d": []}
    texts, having = 0, collections.Counter()

    def put(row, name, value):
        row[places.setdefault(name, len(places))] = value

    def standard(row, name, value):
        seen[name].append(value)
        mean = sum(seen[name]) / len(seen[name])
        deviation = math.sqrt(sum((x - mean) ** 2 for x in seen[name]) / len(seen[name]))
        put(row, name, max(-8.0, min(8.0, (value - mean) / deviation)) if deviation else 0.0)

    for x in rows:
        row = {}
        if x["n"] and x["n"] != "n.d.":
            standard(row, "n", float(x["n"]))
        else:
            put(row, "n is blank", 1.0)
        put(row, f"c={x['c']}" if x["c"] else "c is blank", 1.0)
        moment = datetime.fromisoformat(x["d"]).replace(tzinfo=UTC)
        standard(row, "d", moment.timestamp())
        weekday = (moment.weekday() - 3) % 7  # 1970 began on a Thursday
        year = int(moment.timestamp() // 86400 % 365.2425)
        minute = moment.hour * 60 + moment.minute
        for name, at, n in (
            ("hour", minute, 1440),
            ("weekday", weekday, 7),
            ("day of year", year, 366),
        ):
            put(row, f"d: {name} sin", math.sin(2 * math.pi * at / n))
            put(row, f"d: {name} cos", math.cos(2 * math.pi * at / n))
        words = re.findall(r"[^\W\u4e00-\u9fff]{2,}|[\u4e00-\u9fff]", x["t"].lower())
        hashes = [murmurhash3_32(w, positive=True) for w in words]
        pairs = [
            mixed(a, b)
            for (v, a), (w, b) in itertools.pairwise(zip(words, hashes, strict=True))
            if re.fullmatch("[\u4e00-\u9fff]{2}", v + w)
        ]
        for j in range(64):
            places.setdefault(f"t: hashed {j}", len(places))
        counts = collections.Counter(h % 64 for h in hashes + pairs)
        weights = {h: log1(n) for h, n in counts.items()}
        texts += bool(x["t"])
        having.update(list(weights))
        weights = {h: w * log1((1 + texts) / (1 + having[h])) for h, w in weights.items()}
        for h, w in weights.items():
            put(row, f"t: hashed {h}", w / math.hypot(*weights.values()))
        found.append(row)
    return list(places), [[row.get(j, 0.0) for j in range(len(places))] for row in found]


def mixed(a, b):
    h = (a * 0x9E3779B1 + b * 0x85EBCA6B) % 2**32
    h = ((h ^ (h >> 15)) * 0x2C1B3C6D) % 2**32
    return h ^ (h >> 13)


def log1(x):
    """Return 1 + log(x), interpolated between powers of two."""
    low = 2.0 ** math.floor(math.log2(x))
    return 1 + math.log(low) + math.log(2) * (x / low - 1)


def test_the_numbers_are_those_of_the_definitions():
    r = random.Random(4)
    rows = [
        {
            "n": r.choice(["", "n.d."]) if r.random() < 0.1 else USUAL["number"](r),
            "c": r.choice(["FR", "DE", "IT", ""]),
            "d": USUAL["date"](r),
            "t": USUAL["text"](r),
        }
        for _ in range(200)
    ]
    kinds = {"n": "number", "c": "category", "d": "date", "t": "text"}
    encoder = TableEncoder(kinds, form="dense")
    blocks = list(encoder.learn(pa.Table.from_pylist(rows)))
    names, expected = reference(rows)
    assert encoder.get_feature_names_out().tolist() == names
    found = np.zeros((200, encoder.width_))
    start = 0
    for block in blocks:
        stop, width = start + len(block.values), block.values.shape[1]
        found[start:stop, :width] = block.values
        start = stop
    np.testing.assert_allclose(found[:, : len(names)], expected, rtol=0, atol=1e-9)
    assert not found[:, len(names) :].any()


@pytest.mark.parametrize("blank", [0.0, 0.3])
@pytest.mark.parametrize("scale", [1e-30, 1e-3, 1.0, 1e6, 1e120])
def test_skewed_numbers_have_a_logarithm_from_the_hundredth_on(scale, blank):
    rng = np.random.default_rng(2)
    values = scale * rng.choice([-1, 1], 400, p=[0.1, 0.9]) * rng.lognormal(0, 2, 400)
    rows = [{"c": None if rng.random() < blank else value} for value in values.tolist()]
    given = [j for j, row in enumerate(rows) if row["c"] is not None]
    small = sorted(abs(values[given[:100]]))[5]  # the 5% quantile
    sizes = 1 + abs(values) / 2.0 ** math.floor(math.log2(small))
    low = 2.0 ** np.floor(np.log2(sizes))
    logs = np.copysign(np.log(low) + np.log(2) * (sizes / low - 1), values)
    first = logs[given[:100]]
    expected = np.clip((logs - first.mean()) / first.std(), -8, 8)
    together, alone = TableEncoder(), TableEncoder()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        blocks = list(together.learn(pa.Table.from_pylist(rows)))
    assert bits(blocks) == bits([alone.learn_one(row) for row in rows])
    at = together.get_feature_names_out().tolist().index("log of c")
    found = np.concatenate([np.pad(b.values, ((0, 0), (0, 8)))[:, at] for b in blocks])
    assert not found[: given[99]].any()
    np.testing.assert_allclose(found[given[99:]], expected[given[99:]], rtol=0, atol=1e-9)
    assert together.look(pa.Table.from_pylist(rows[-9:])).values[:, at] == pytest.approx(found[-9:])
    assert together.report()[0].startswith("c: number, with its logarithm")


def test_logarithms_are_finite_whatever_the_sizes():
    rng = np.random.default_rng(0)
    values = np.concatenate([[5e-324] * 30, 10.0 ** rng.uniform(-300, 0, 270), [9e149, -9e149]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = TableEncoder().fit_transform(pa.table({"p": values}))
    assert found.shape[1] >= 2
    assert np.isfinite(found).all()


@pytest.mark.parametrize("step", [1, 3, -2])
def test_numbers_that_rise_or_fall_with_every_row_count_as_the_mean(step):
    """From the hundredth on, as ids do, whose weight would be like that of a constant."""
    ids = [{"id": 10_000 + step * i} for i in range(150)]
    encoder = TableEncoder()
    found = [float(block.values[0, 0]) for block in map(encoder.learn_one, ids)]
    assert all(found[1:100])
    assert not any(found[100:])
    way = "rises" if step > 0 else "falls"
    assert encoder.report() == [f"id: number, not used, as it {way} with every row"]
    assert not encoder.look([{"id": 5}, {"id": 1e6}]).values.any()
    again = encoder.learn_one(ids[0])  # as in the next file
    assert again.values[0, 0] != 0
    assert encoder.look([{"id": 1e6}]).values.any()
    declared = TableEncoder({"id": "number"}).fit(ids)
    assert declared.look([{"id": 5}]).values.any()
    fractions = TableEncoder().fit([{"at": i + 0.5} for i in range(150)])
    assert fractions.look([{"at": 5}]).values.any()


def test_numbers_that_are_not_skewed_have_no_logarithm():
    rng = np.random.default_rng(0)
    columns = {"normal": rng.normal(size=300), "uniform": rng.random(300)}
    columns |= {"rare": (rng.random(300) < 0.03) * 1.0, "few": 10.0 ** rng.integers(0, 9, 300)}
    assert "logarithm" not in "".join(TableEncoder().fit(pa.table(columns)).report())


def test_values_of_other_libraries_are_blank_or_numbers():
    values = [np.float32("nan"), Decimal("NaN"), pd.NA, pd.NaT, None, np.datetime64("NaT"), 1]
    encoder = TableEncoder({"a": "number"}).fit([{"a": value} for value in values])
    assert encoder.report() == ["a: number, 85.7% blank"]
    assert encoder.get_feature_names_out().tolist() == ["a is blank", "a"]
    frame = pd.DataFrame({"a": pd.Series(["x", pd.NA, 1, None, np.nan, pd.NaT], dtype=object)})
    assert TableEncoder().fit(frame).get_feature_names_out().tolist() == [
        "a=x",
        "a is blank",
        "a=1",
    ]
    odd = [10**5000, object(), {1: 2}, b"x", Decimal("sNaN"), Decimal("Infinity")]
    TableEncoder().fit([{"a": value} for value in odd])
    TableEncoder().fit(pd.DataFrame({"a": pd.Series([10**400, 1], dtype=object)}))


@pytest.mark.parametrize(
    ("form", "marks"),
    [
        ("${}", ",."),
        ("{} %", " ."),
        ("{}", "'."),
        ("\u20ac {}", ".,"),
        ("{} \u20ac", "\u202f,"),
        ("{}", "\u2019,"),
        ("{} mg/dl", ",."),
        ("<{}\u00b5g", ".,"),
    ],
)
@pytest.mark.parametrize("kinds", [None, {"c": "number"}])
def test_numbers_are_read_as_people_write_them(form, marks, kinds):
    values = np.random.default_rng(0).lognormal(6, 2, 300).round(3)
    values[0] = 0.5  # tells a decimal comma
    marked = str.maketrans(",.", marks)
    texts = [form.format(f"{value:,.3f}".translate(marked)) for value in values]
    # of limits there are few
    texts = [text.removeprefix("<") if j % 10 != 5 else text for j, text in enumerate(texts)]
    unit = unit_of(texts[0])
    encoder = TableEncoder(kinds)
    found = encoder.fit_transform(pa.table({"c": texts}))
    notes = [f", in {unit}"] * bool(unit) + [", decimal comma"] * (marks[1] == ",")
    assert encoder.report() == [f"c: number{''.join(notes)}, with its logarithm"]
    assert encoder.pack() == TableEncoder(kinds).fit([{"c": text} for text in texts]).pack()
    assert (found == TableEncoder().fit_transform(pa.table({"c": values}))).all()


def test_a_decimal_comma_met_late_starts_the_mean_again():
    texts = ["3", "1,234", "2,345", "0,5"]  # thousands, until the last
    encoder = TableEncoder().fit([{"c": text} for text in texts * 25])
    number = encoder.columns_["c"].encoder
    assert encoder.report() == ["c: number, decimal comma"]
    assert number.first == 0.5
    assert number.count == 97


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["1.234", "56", "7.890", "12.345"], [1234, 56, 7890, 12345]),
        (["1,234", "56", "7,890", "12,345"], [1234, 56, 7890, 12345]),
        (["1.234", "56.000", "7.890", "12.345"], [1.234, 56, 7.89, 12.345]),
        (["1.234", "56", "7.890", "2.5"], [1.234, 56, 7.89, 2.5]),
        (["1.5", "56", "7.890", "12.345"], [1.5, 56, 7.89, 12.345]),
        (["1,234", "-7,890", "12,345", "123,456"], [1234, -7890, 12345, 123456]),
        (["1,234", "-7,890", "12,345", "0,456"], [1.234, -7.89, 12.345, 0.456]),
        (["$45,000", "$52,500", "$950"], [45000, 52500, 950]),
        (["-1.234", "-56.000", "-7.890"], [-1.234, -56, -7.89]),
        (["1,234", "7,890", "1,234.5"], [1234, 7890, 1234.5]),
        (["1,234", "7,890", "1,234,567"], [1234, 7890, 1234567]),
    ],
)
def test_three_digits_after_a_mark_are_thousands_among_whole_numbers(texts, values):
    encoder = TableEncoder().fit([{"c": text} for text in texts * 25])
    kind = encoder.columns_["c"].encoder
    assert [kind.parse(text) for text in texts] == values
    assert encoder.pack() == TableEncoder().fit(pa.table({"c": texts * 25})).pack()


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["12,34,567", "1,23,456", "99"], [1_234_567, 123_456, 99]),
        (["\u22121.5", "+2", "3"], [-1.5, 2, 3]),
        (["(45.00)", "($1,234.50)", "7"], [-45, -1234.5, 7]),
        (["$-45.00", "-$3", "- $ 2"], [-45, -3, -2]),
        (["(-1)", "--1", "-$-1", "1,2,345", "12,34,56", "5-"], [math.nan] * 6),
        (["(212)", "CAD-12", "( 7 )"], [math.nan] * 3),  # codes
    ],
)
def test_signs_and_groups_of_digits(texts, values):
    np.testing.assert_array_equal([number_of(text) for text in texts], values)


@pytest.mark.parametrize(
    ("texts", "report"),
    [
        (["5 kg", "7 kg", "8", "900 g"] * 30, "c: number, in kg, 30 odd values taken as blank"),
        (["12A", "12B", "7C", "8A"] * 30, "c: category, 4 values"),
        (["<50K", ">50K", ">50K", "<50K"] * 30, "c: category, 2 values"),
        (["<18", "18-65", ">65", "18-65"] * 30, "c: category, 3 values"),
        (["1st", "2nd", "3rd", "4th"] * 30, "c: category, 4 values"),
        (["7", "8", "<1", "9 mm"] * 30, "c: number, in mm"),
        (["<2", "<2", "2", "2.5", "3", "4", "5"] * 20, "c: number"),
        (["<5", "5", ">5"] * 40, "c: category, 3 values"),
        (["<=5", ">=90", "60", "61"] * 30, "c: category, 4 values"),
        (["60", "61", "62", ">=90"] * 30, "c: number"),
        (["0815", "4711", "1234"] * 40, "c: category, 3 values"),
        (["0", "0.5", "10", "100"] * 30, "c: number"),
    ],
)
def test_units_and_limits(texts, report):
    for table in ([{"c": text} for text in texts], pa.table({"c": texts})):
        encoder = TableEncoder().fit(table)
        assert encoder.report() == [report]
        assert TableEncoder.unpack(encoder.pack()).report() == [report]


WHOLE = [str(i * i) for i in range(60)]
PARTS = [f"{i * i % 59}.{i % 7}" for i in range(60)]


@pytest.mark.parametrize(
    ("numbers", "words", "kind"),
    [
        (PARTS, ["n.d."], "number"),
        (PARTS, ["n.d.", "N.D."], "number"),
        (PARTS, ["below LOD", "<LOD"], "number"),
        (PARTS, ["*"] * 3, "number"),
        (WHOLE, ["unknown"], "number"),
        (PARTS, ["small", "large"], "category"),
        (["1", "2", "3"] * 20, ["other"], "category"),
        ([str(i % 20) for i in range(60)], ["other"], "category"),  # they repeat, as codes do
        (["3.8", "3.9", "3.10", "3.1", "3.12", "2.7"] * 10, ["nightly"], "category"),
        (["0815", *WHOLE[1:4]] * 15, ["other"], "category"),
    ],
)
def test_one_word_among_measurements_counts_neither_for_nor_against_them(numbers, words, kind):
    texts = [text for i, number in enumerate(numbers) for text in (number, words[i % len(words)])]
    texts += texts
    whole, alone = TableEncoder().fit(pa.table({"c": texts})), TableEncoder()
    for text in texts:
        alone = saved(alone) if hasattr(alone, "columns_") else alone
        alone.learn_one({"c": text})
    assert alone.pack() == whole.pack()
    assert whole.kinds_ == {"c": kind}
    if kind == "number":
        blank = whole.transform({"c": [None] * len(words)})
        assert (whole.transform({"c": words}) == blank).all()


def test_values_before_a_column_is_a_number_are_forgotten():
    """The first ones are taken for categories, as with a decimal comma."""
    texts = ["<2", "<2", "<2", "3", *(str(one) for one in range(200))]
    encoder = TableEncoder().fit(pa.table({"c": texts}))
    *unused, last = encoder.get_feature_names_out().tolist()
    assert unused == [f"c: unused {j}" for j in range(5)]
    assert last == "c"
    assert encoder.columns_["c"].unused == list(range(5))
    assert not encoder.transform(pa.table({"c": ["<2", "3"]}))[:, :5].any()


def test_spreadsheets_write_days():
    encoder = TableEncoder({"d": "date"}).fit([{"d": "23.11.2026"}, {"d": "24.11.2026"}])
    days = [{"d": "23.11.2026"}, {"d": "46349"}, {"d": 46349}, {"d": 46349.0}]
    np.testing.assert_array_equal(encoder.transform(days), encoder.transform(days[:1] * 4))
    numbers = pa.table({"d": pa.array([46349, 46350])})
    np.testing.assert_array_equal(encoder.transform(numbers[:1]), encoder.transform(days[:1]))


@pytest.mark.parametrize("scale", [1, 1000])
def test_numbers_are_seconds_or_milliseconds_if_they_are_given_as_dates(scale):
    whole = [1_712_123_100 + 7777 * i for i in range(150)]  # also 17121231 0000, as text
    dates = pa.array([1_000_000 * x for x in whole], pa.timestamp("us"))
    numbers = [scale * x for x in whole]
    texts, floats = pa.array([*map(str, numbers)]), pa.array(numbers, pa.float64())
    forms = [dates, pa.array(numbers), texts, floats]
    states = []
    for form in forms:
        cells = [{"ts": x} for x in form.to_pylist()]
        for cuts in ([0, 150], [0, 1, 7, 40, 150], range(151)):
            encoder, one = TableEncoder({"ts": "date"}), TableEncoder({"ts": "date"})
            for start, stop in itertools.pairwise(cuts):
                encoder.partial_fit(pa.table({"ts": form[start:stop]}))
                one.partial_fit(cells[start:stop])
            states += [json.dumps(encoder.pack()), json.dumps(one.pack())]
        table = pa.table({"ts": form})
        np.testing.assert_array_equal(encoder.transform(table), encoder.transform(cells))
        found = TableEncoder().fit(table).columns_["ts"].kind
        assert found == ("date" if form is dates else "number")
    assert len({state.replace("no zone", "") for state in states}) == 1  # numbers have none either


def test_durations_of_numpy_and_python_are_seconds():
    durations = np.timedelta64(2, "h"), timedelta(hours=2), np.timedelta64("NaT")
    np.testing.assert_array_equal([number_of(x) for x in durations], [7200, 7200, math.nan])


@pytest.mark.parametrize(
    ("form", "note"),
    [
        ("%d/%m/%Y %H:%M", ", the day first"),
        ("%m/%d/%Y %I:%M %p", ", the month first"),
        ("%d.%m.%Y, %H:%M:%S", ", the day first"),
        ("%Y/%m/%d %H:%M", ""),
        ("%a, %d %b %Y %H:%M:%S +0000", ""),
        ("%B %d, %Y %I:%M %p", ""),
        ("%Y%m%dT%H%M%S", ""),
    ],
)
@pytest.mark.parametrize("kinds", [None, {"c": "date"}])
def test_dates_are_read_as_people_write_them(form, note, kinds):
    days = pd.date_range("2026-01-13", periods=300, freq="31h")
    encoder, texts = TableEncoder(kinds), days.strftime(form).tolist()
    found = encoder.fit_transform(pa.table({"c": texts}))
    assert encoder.report() == [f"c: date{note}"]
    assert encoder.pack() == TableEncoder(kinds).fit([{"c": text} for text in texts]).pack()
    usual = days.strftime("%Y-%m-%d %H:%M").tolist()
    assert (found == TableEncoder().fit_transform(pa.table({"c": usual}))).all()


@pytest.mark.parametrize("form", ["%H:%M", "%I:%M:%S %p", None])
def test_times_of_day_lie_on_a_circle(form):
    days = pd.date_range("2026-01-13", periods=300, freq="31h")
    given = days.strftime(form).tolist() if form else [day.time() for day in days]
    encoder = TableEncoder()
    found = encoder.fit_transform(pa.table({"c": given}))
    assert encoder.report() == ["c: date, times of day"]
    assert encoder.pack() == TableEncoder().fit([{"c": value} for value in given]).pack()
    angle = 2 * np.pi * days.hour / 24
    np.testing.assert_allclose(found[:, 1:3], np.c_[np.sin(angle), np.cos(angle)], atol=1e-12)


def test_a_month_met_late_starts_the_dates_again():
    texts = ["01/02/2026", "02/03/2026", "03/25/2026"]  # the day first, until the last
    encoder = TableEncoder().fit([{"c": text} for text in texts * 40])
    assert encoder.report() == ["c: date, the month first"]
    assert encoder.columns_["c"].encoder.count == 118


def dates_with(other):
    days = [date(2024, 1 + i % 12, 1 + i % 28) for i in range(90)]
    values = [other if i % 4 == 3 else day for i, day in enumerate(days)]
    return pd.DataFrame({"c": values}, dtype=object)


def test_the_trend_of_a_date_to_be_looked_at_ends_at_those_learned():
    days = [{"d": date(2026, 3, day).isoformat(), "n": day} for day in range(1, 31)]
    rows = [days[day] for day in (9, 4, 19, 11)]
    encoder = TableEncoder({"d": "date"}).fit(rows)
    encoder = TableEncoder.unpack(json.loads(json.dumps(encoder.pack())))
    found = encoder.transform(days)
    assert (found == [encoder.transform([row])[0] for row in days]).all()
    trend = found[:, 0]
    assert (trend[:4] == trend[4]).all()
    assert (trend[20:] == trend[19]).all()
    assert (np.diff(trend[4:20]) > 0).all()
    assert len(np.unique(found[20:27, 3])) == 7  # the weekday goes on
    kept = encoder.transform([*days, {"d": "2026-05-01"}])
    assert kept[-1, 0] == trend[19]
    assert encoder.learn_one(days[29]).values[0, 0] > trend[19]


def test_dates_before_a_month_that_shows_the_order_keep_their_features():
    """In a block as one by one: what is learned begins again with that month."""
    days = [f"{1 + i % 12:02}/{1 + i % 5:02}/2024" for i in range(150)]
    later = [*days[:12], "11/25/2024", "03/14/2024"]
    encoder = TableEncoder({"d": "date"}).fit([{"d": day} for day in days])
    alone = encoder.copy()
    one_by_one = [alone.learn_one({"d": day}).values[0] for day in later]
    (block,) = encoder.learn(pa.table({"d": later}))
    assert (block.values == one_by_one).all()


@pytest.mark.parametrize(("days", "alike"), [(1, [3, 4, 5, 6]), (8, [5, 6]), (366, [])])
def test_days_of_which_nothing_is_known_are_those_that_are(days, alike):
    """The weekday, in columns 3 and 4, until a week is known, and the day of the year."""
    start = datetime(2026, 3, 2)
    rows = [{"d": start + timedelta(hours=7 * i)} for i in range(days * 24 // 7 + 1)]
    encoder = TableEncoder({"d": "date"}).fit(rows)
    later = [{"d": rows[-1]["d"] + timedelta(days=day)} for day in range(5)]
    found = encoder.transform(later)
    assert (found == [encoder.transform([row])[0] for row in later]).all()
    same = (found == found[0]).all(axis=0)
    assert np.flatnonzero(same[1:7] & (np.arange(6) > 1)).tolist() == [j - 1 for j in alike]
    assert (encoder.copy().partial_fit(later).transform(later)[:, 3:7] != found[:, 3:7]).any() == (
        len(alike) > 0
    )


@pytest.mark.parametrize(
    ("values", "same"),
    [
        (["2026-01-05", "", "2026-01-12"], ["hour", "weekday"]),
        (["2026-01-05 08:30", "2026-01-06 08:30"], ["hour"]),
        (["8:30", "20:30"], ["weekday", "day of year"]),
        (["2026-01-06", "2026-01-05", "2026-01-06"], ["hour"]),
        (["red", "", "red"], []),
        (["red", "red"], ["red"]),
        (["", "red"], []),
    ],
)
def test_features_that_are_the_same_in_all_rows_are_known(values, same):
    """Parts that all dates have in common, and the only value of a category."""
    whole, alone = TableEncoder().fit(pa.table({"c": values})), TableEncoder()
    for value in values:
        alone.learn_one({"c": value})
    assert saved(alone).pack() == whole.pack()
    column = whole.columns_["c"]
    found = whole.get_feature_names_out()[column.encoder.constant(column.before)]
    parts = [f"c: {one} {side}" for one in same for side in ("sin", "cos")]
    assert found.tolist() == (["c=red"] if same == ["red"] else parts)


@pytest.mark.parametrize("other", [datetime(2024, 1, 1, 20, 30), None, pd.NaT, math.nan])
def test_dates_among_dates_with_times_keep_what_they_are(other):
    frame = dates_with(other)
    expected = bits(TableEncoder().learn(frame))
    assert bits(TableEncoder().learn(frame.to_dict("records"))) == expected


@pytest.mark.parametrize("other", [20240105, 5, 10**9])
def test_whole_numbers_among_dates_do_not_stop_a_stream(other):
    encoder = TableEncoder().fit(dates_with(other))
    assert encoder.report() == ["c: date"]


def test_fields_of_objects_are_columns():
    users = [{"age": i % 90 * 1.0, "home": {"zip": f"z{i % 3}"}} for i in range(150)]
    rows = [{"user": user, "n": i, "v": {}} for i, user in enumerate(users)]
    rows[7]["user"] = None
    flat = [
        {"user.age": i % 90 * 1.0, "user.home.zip": f"z{i % 3}", "n": i} if i != 7 else {"n": i}
        for i in range(150)
    ]
    encoder = TableEncoder()
    expected = bits([TableEncoder().fit(flat).look(flat)])
    assert bits([encoder.fit(rows).look(rows)]) == expected
    table = pa.Table.from_pylist([{k: v for k, v in row.items() if k != "v"} for row in rows])
    assert bits([TableEncoder().fit(table).look(table)]) == expected
    assert encoder.report()[0] == "user.age: number, 0.7% blank"


def test_a_dict_that_contains_itself_is_refused():
    encoder = TableEncoder().fit([{"a": 1.0, "user": {"age": i}} for i in range(9)])
    before, endless = encoder.report(), {"age": 1}
    endless["self"] = endless
    with pytest.raises(SelectronError, match="The dicts in column 'user' are nested over 32 deep"):
        encoder.learn_one({"a": 1.0, "user": endless})
    assert encoder.report() == before


@pytest.mark.parametrize("form", ["[{}]", "{{{}}}", " [ {} ]"])
def test_lists_may_be_written_as_text(form):
    vectors = np.random.default_rng(0).normal(size=(300, 5)).round(3).tolist()
    texts = [form.format(", ".join(map(str, v))) for v in vectors]
    found, usual = TableEncoder(), TableEncoder()
    expected = bits(usual.learn({"v": vectors}))
    assert bits(found.learn({"v": texts})) == expected
    alone = TableEncoder()
    assert bits([alone.learn_one({"v": text}) for text in texts]) == expected
    assert found.report() == ["v: vector, 5 numbers"]


@pytest.mark.parametrize(
    ("values", "report"),
    [
        (["[1, 2]", "[3]", "[4, 5, 6]"], "c: category, 3 values"),
        (["[404]", "[200]"], "c: category, 2 values"),
        ([[], ["red", "blue"], []], "c: text, 2.0 words on average, 66.7% blank"),
        ([[], [1.0, 2.0], []], "c: vector, 2 numbers, 66.7% blank"),
        (["2026-11-23 8:30 PM"] * 3, "c: date"),
        (
            [f"id{i}" for i in range(300)],
            "c: ignored, as 100 of its first 100 values differ, unless declared a category or text",
        ),
        (["06-12-3456", "07-01-2999"], "c: category, 2 values"),
        (
            [[[1], [2, 3]], [np.eye(2), np.ones((2, 3))]],
            "c: vector, 0 numbers, 300 odd values taken as blank",
        ),
        ([np.array(5.0), np.array(6.0)], "c: vector, 0 numbers, 300 odd values taken as blank"),
    ],
)
def test_kinds_of_odd_columns(values, report):
    rows = [{"c": value} for value in values * (300 // len(values))]
    assert TableEncoder().fit(rows).report() == [report]


SOME = ["red", "blue", "green", "large", "small", "new", "used", "sale"]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (lambda r: ";".join(r.sample(SOME, 3)), "text"),
        (lambda r: "|".join(r.sample(SOME, r.randint(1, 4))), "text"),
        (lambda r: f"https://shop.com/{r.choice(SOME)}/item?id={r.random():.6f}", "text"),
        (lambda r: f"192.168.{r.randint(10, 29)}.{r.randint(10, 250)}", "text"),
        (lambda r: f"{r.choice(SOME)}-{r.randint(100, 999)}-R", "text"),
        (lambda r: str(uuid.UUID(int=r.getrandbits(128), version=4)), "ignored"),
        (lambda r: f"ORDER-{r.getrandbits(64)}", "ignored"),
        (lambda r: f"{r.getrandbits(64):x}", "ignored"),
        (lambda r: f"{r.choice(SOME)}-risk", "category"),
        (lambda r: ";".join(sorted(r.sample(SOME[:4], 2))), "category"),
    ],
)
def test_values_that_share_words_are_text(value, kind):
    r = random.Random(3)
    rows = [{"c": value(r)} for _ in range(200)]
    assert TableEncoder().fit(rows).kinds_ == {"c": kind}
    assert TableEncoder({"c": "category"}).fit(rows).kinds_ == {"c": "category"}
    found = TableEncoder().fit([{"c": value(r), "n": r.random()} for _ in range(200)])
    assert (found.kinds_["c"], found.sparse_) == (kind, False)  # a number shows curves


def test_the_values_of_ids_are_forgotten():
    rows = [{"id": f"A{i}", "x": float(i)} for i in range(200)]
    for form in ("dense", "sparse"):
        found = saved(TableEncoder(form=form).fit(rows))
        assert found.kinds_ == {"id": "ignored", "x": "number"}
        assert "A7" not in str(found.pack())
        names = found.get_feature_names_out()
        assert all(name.startswith("id: ") for name in names[found.columns_["id"].unused])
        assert sum(name.startswith("x") for name in names) == 1


@pytest.mark.parametrize("first", [0, 1, 50, 1000, 1900])
def test_rows_before_the_first_value_of_a_column_are_blank(first):
    rows = [{"a": 1.0, "late": "x"} if i >= first else {"a": 1.0} for i in range(2000)]
    blank = f", {first / 2000:.1%} blank" if first else ""
    expected = ["a: number", f"late: category, 1 value{blank}"]
    assert TableEncoder().fit(rows).report() == expected
    table = pa.Table.from_pylist([{"late": None} | row for row in rows])
    assert sorted(TableEncoder().fit(table).report()) == expected


@pytest.mark.parametrize(
    ("two", "one", "words"),
    [
        (["red", "warm"], ["blue"], 1.5),
        ([{"sku": "lamp"}, {"sku": "desk"}], [{"sku": "pear"}], 3.0),
    ],
)
def test_lists_of_words_or_objects_are_text(two, one, words):
    rows = [{"tags": two if i % 2 else one} for i in range(150)]
    encoder = TableEncoder()
    expected = bits([encoder.learn_one(row) for row in rows])
    assert encoder.report() == [f"tags: text, {words} words on average"]
    assert bits(TableEncoder().learn(pa.Table.from_pylist(rows))) == expected


def test_durations_are_numbers():
    frame = pd.DataFrame({"a": pd.to_timedelta([1, 90, None, 5], unit="min")})
    encoder = TableEncoder()
    found = encoder.fit_transform(frame)
    assert encoder.report() == ["a: number, in s, 25.0% blank"]
    seconds = TableEncoder().fit_transform({"a": [60.0, 5400.0, None, 300.0]})
    np.testing.assert_allclose(found, seconds, rtol=1e-12)
    rows = TableEncoder()
    np.testing.assert_array_equal(rows.fit_transform(frame.to_dict("records")), found)


DURATIONS = [timedelta(seconds=s) for s in np.random.default_rng(0).normal(90, 9e4, 150).round(6)]
DURATION_FORMS = {
    "ISO 8601": lambda x: pd.Timedelta(x).isoformat(),
    "seconds": iso_duration,
    "pandas": lambda x: str(pd.Timedelta(x)),
    "objects": lambda x: x,
}


@pytest.mark.parametrize("form", DURATION_FORMS)
def test_durations_are_the_same_as_text_and_typed(form):
    table = pa.table({"a": pa.array([*DURATIONS, None], pa.duration("us"))})
    cells = [*map(DURATION_FORMS[form], DURATIONS), None]
    typed, rows = TableEncoder().fit(table), TableEncoder().fit([{"a": x} for x in cells])
    assert typed.report() == ["a: number, in s, 0.7% blank"]
    assert rows.pack() == typed.pack()
    assert form == "objects" or TableEncoder().fit({"a": cells}).pack() == typed.pack()
    for rows in ({"a": cells}, [{"a": x} for x in cells]):
        assert (typed.transform(rows) == typed.transform(table)).all()


def test_clocks_are_durations_in_columns_that_are_known_to_be():
    table = pa.table({"a": pa.array(DURATIONS, pa.duration("us"))})
    texts = pa.table({"a": [*map(str, DURATIONS)]})
    encoder = saved(TableEncoder().fit(table))
    assert (encoder.transform(texts) == encoder.transform(table)).all()
    assert (encoder.transform(texts.to_pylist()) == encoder.transform(table)).all()
    assert saved(encoder).partial_fit(texts).pack() == encoder.partial_fit(table).pack()
    days = encoder.transform({"a": ["P1D", "1 days", "1 day 00:00:00", "24:00:00"]})
    assert (days == encoder.transform({"a": [86400.0] * 4})).all()
    assert TableEncoder().fit({"a": ["0:03:24", "8:30:00"]}).kinds_ == {"a": "date"}
    assert TableEncoder().fit({"a": ["PT15M", "PT1H"] * 60}).report() == ["a: number, in s"]
    odd = ["P", "PT", "P1Y", "1 week", "-", "PT1.5", "0:3:24", "P999999999999D", "P1D"]
    assert np.isnan([number_of(text) for text in odd]).all()


def test_views_of_text_are_text():
    words = pa.array(["x", None, "y", "x"], pa.string_view())
    codes = pa.DictionaryArray.from_arrays([0, None, 1, 0], pa.array(["x", "y"], pa.string_view()))
    table = pa.table({"a": words, "b": codes})  # as Polars has them
    usual = {"a": words.to_pylist(), "b": words.to_pylist()}
    encoder = TableEncoder()
    assert np.array_equal(encoder.fit_transform(table), TableEncoder().fit_transform(usual))
    assert encoder.report()[1] == "b: category, 2 values, 25.0% blank"


def test_values_without_features_of_their_own_are_reported():
    values = [f"v{i}" for i in range(300)]
    encoder = TableEncoder(columns={"c": "category"}).fit({"c": values})
    assert encoder.report() == ["c: category, 208 values, others hashed"]
    few = [f"v{i % 60}" for i in range(300)]
    kinds = {"c": "category", "d": "category"}
    encoder = TableEncoder(columns=kinds).fit({"c": values, "d": few[:1] * 250 + few[:50]})
    assert encoder.report() == [
        "c: category, 207 values, others hashed",
        "d: category, 41 values, others hashed",  # eight places are shared by those of c
    ]
    wide = {f"n{i}": [1.0, 2.0] for i in range(600)} | {"c": ["a", "b"]}
    assert TableEncoder().fit(wide).report()[-1] == "c: category, values hashed"


@pytest.mark.parametrize("length", [200, 255, 256])
def test_categories_keep_their_places_next_to_long_lists(length):
    rows = [{"v": [0.5] * length, "c": f"c{i}"} for i in range(60)]
    encoder = saved(TableEncoder().partial_fit(rows[:30])).partial_fit(rows)
    assert encoder.report()[1].endswith("60 values")


@pytest.mark.parametrize(("columns", "sparse"), [(256, False), (257, True)])
def test_many_categories_make_sparse_rows(columns, sparse):
    row = {f"c{j}": "x" for j in range(columns)} | {"n": 1.0}
    assert TableEncoder().fit([row]).sparse_ is sparse
    assert TableEncoder(form="dense").fit([row]).sparse_ is False


@pytest.mark.parametrize(
    ("first", "later", "line"),
    [
        (["7"], ["48,3", "1.500", "2,5"], "v: number, decimal comma"),
        (["7", "3.0"], ["48.3", "2,5"], "v: number, 1 odd value taken as blank"),
        (["7"], ["1.500", "5"], "v: number"),
        (["1,500", "7,234"], ["48,3", "0,5"], "v: number, decimal comma"),
        (["1,500", "7,234"], ["1,234,567", "12.5"], "v: number"),
        (["1,500", "7,234"], ["950", "12.5"], "v: number"),
        (["1,500", "7,234"], ["48,3", "2.5"], "v: number, decimal comma, 1 odd value taken"),
        (["1,500", "7"], ["48,3", "0,5"], "v: number, decimal comma"),
        (["1.500", "7.234"], ["1.234.567", "0,5"], "v: number, decimal comma"),
        (["1.500", "7"], ["0.5", "2.5"], "v: number"),
        (["02/03/2026"], ["02/13/2026", "03/02/2026"], "v: date, the month first"),
        (["02/03/2026"], ["13/02/2026", "02/13/2026"], "v: date, the day first, 1 odd value taken"),
    ],
)
@pytest.mark.parametrize("cut", [0, 100, 150, 151])
def test_a_later_value_may_show_how_all_are_read(first, later, line, cut):
    """As the first ones fit two ways alike; blocks do as single rows do."""
    values = (first * 150)[:150] + later * 2
    values = values if line.count("odd") == 0 else values[: 150 + len(later)]
    rows = TableEncoder().fit([{"v": value} for value in values])
    blocks = TableEncoder()
    for part in (values[:cut], values[cut:]):
        blocks.partial_fit(pa.table({"v": part})) if part else None
    assert rows.report()[0].startswith(line)
    assert rows.report() == blocks.report()
    assert vars(rows.columns_["v"].encoder) == vars(blocks.columns_["v"].encoder)


def test_names_of_rows_that_pandas_writes_are_no_column():
    frame = pd.DataFrame({"a": [1.0, 2.0, 4.0]}, index=[3, 7, 5])
    table = pa.Table.from_pandas(frame)
    assert table.column_names == ["a", "__index_level_0__"]
    assert TableEncoder().fit(table).report() == ["a: number"]


@pytest.mark.parametrize("first", [None, "", "Thanks!"])
@pytest.mark.parametrize("form", [list, pd.DataFrame, pa.Table.from_pylist])
def test_text_may_begin_after_the_first_row(first, form):
    rows = [{"note": first}] + [{"note": f"a note of {j} words"} for j in range(9)]
    assert TableEncoder().fit(form(rows)).sparse_
    one = TableEncoder().fit(form(rows[:1]))
    assert not one.partial_fit(form(rows[1:])).sparse_
    assert one.report()[0].startswith("note: text, ")
    assert one.report()[0].endswith(", hashed to 64 features")


def test_characters_of_scripts_without_spaces_are_words():
    notes = ["项目进度会议安排在明天下午", "点击链接免费领取手机", "あしたの会議は三時からです"]
    notes += ["พรุ่งนี้มีประชุมตอนบ่าย", "请确认收货地址和电话号码"]
    names = ["王伟", "李秀英", "山田太郎", "สมชาย", "佐藤"]
    encoder = TableEncoder().fit({"note": notes, "name": names})
    assert list(encoder.kinds_.values()) == ["text", "category"]
    assert encoder.report()[0].startswith("note: text, 1")
    rows = encoder.transform({"note": ["手机", "机手", "手"], "name": [None] * 3}).toarray()
    two, swapped, single = rows[:, : encoder.text_size]
    assert (np.count_nonzero(two), np.count_nonzero(single)) == (3, 1)  # two words and their pair
    assert np.count_nonzero(two * swapped) == 2


def test_a_table_without_rows_decides_nothing():
    encoder = TableEncoder()
    assert list(encoder.learn(pa.table({"a": pa.array([], pa.string())}))) == []
    list(encoder.learn({"a": ["a note of five words"]}))
    assert encoder.sparse_


def test_vectors_of_another_length_are_odd():
    encoder = TableEncoder().fit({"v": [[1.0, 2.0]] * 3})
    for table in ({"v": [[1.0, 2.0, 3.0]] * 2}, {"v": [[1.0, math.inf], None, [4.0, 5.0]]}):
        encoder.partial_fit(pa.table(table))
    assert encoder.report() == ["v: vector, 2 numbers, 12.5% blank, 3 odd values taken as blank"]
    encoder.learn_one({"v": [3.0, math.nan]})
    assert encoder.look([{"v": [3.0, 5.0]}]).values[0, :3].tolist() == [3.0, 5.0, 0.0]


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_vectors_are_the_same_in_blocks_and_rows(form):
    vectors = np.random.default_rng(0).normal(size=(300, 5)).round(0)  # with -0.0
    rows = [{"v": list(map(float, v)), "n": i} for i, v in enumerate(vectors)]
    kinds = {"v": "vector", "n": "number"}
    together, alone = TableEncoder(kinds, form=form), TableEncoder(kinds, form=form)
    expected = bits([alone.learn_one(row) for row in rows])
    assert bits(together.learn(pa.Table.from_pylist(rows))) == expected
    assert together.pack() == alone.pack()


def test_arrays_have_numbered_columns():
    assert TableEncoder().fit(np.eye(2)).kinds_ == {"x0": "number", "x1": "number"}


def test_a_copy_goes_its_own_way():
    rows = [{"n": i, "c": f"v{i % 5}", "t": "some words of text"} for i in range(20)]
    encoder = TableEncoder().fit(rows)
    before = json.dumps(encoder.pack())
    twin = encoder.copy()
    twin.partial_fit([{"n": 99, "c": "new", "t": "other words here too", "more": 1}])
    assert json.dumps(encoder.pack()) == before
    assert json.dumps(twin.pack()) != before


@pytest.mark.parametrize(
    ("parameters", "rows", "message"),
    [
        ({}, None, "X must be a data frame"),
        ({}, pd.Series([1, 2]), "X must be a data frame"),
        ({}, {"a": [1, 2], "b": [1]}, "of one length"),
        ({}, pd.DataFrame([[1, 2]], columns=["a", "a"]), "Two columns are named 'a'"),
        ({}, [{"a": 1}, 3], "A row must be a dict, got 3"),
        ({}, [{1: 2}], "has the key 1: the names must be text"),
        ({"columns": {"zip": "category"}}, {"a": [1]}, "no column 'zip': there are a"),
        ({"columns": {"a": "cat"}}, {"a": [1]}, "one of number, category, date, text"),
        ({"columns": {"a": ["number"]}}, {"a": [1]}, "one of number, category, date, text"),
        ({"columns": ["a"]}, {"a": [1]}, "columns must be a dict of kinds by name, got ['a']"),
        ({"ignore": "id"}, {"id": [1]}, "ignore must be a list of names, got 'id'"),
        ({"ignore": 3}, {"a": [1]}, "ignore must be a list of names, got 3"),
        ({"form": "wide"}, {"a": [1]}, "form must be one of auto, dense, sparse"),
        ({"text_size": 0}, {"a": [1]}, "text_size must be 1 or more"),
    ],
)
def test_bad_calls_get_one_sentence(parameters, rows, message):
    with pytest.raises(SelectronError, match=re.escape(message)):
        TableEncoder(**parameters).fit(rows)


def test_later_tables_have_the_columns_of_the_first():
    encoder = TableEncoder().fit({"a": [1], "b": ["x"]})
    encoder.partial_fit({"b": ["y"], "a": [2]})
    with pytest.raises(SelectronError, match="no column 'b'"):
        encoder.partial_fit({"a": [1]})
    with pytest.raises(SelectronError, match="no column 'c' in earlier rows"):
        encoder.partial_fit({"a": [1], "b": ["x"], "c": [1]})
    whole, more = {"a": [1], "b": ["x"]}, {"c": [1], "b": ["x"], "a": [1]}
    assert encoder.transform(more).tolist() == encoder.transform(whole).tolist()


ADDED = [1.5, "FR", "2026-01-02", "some words of a longer text here", [1.0, 2.0], None, True]


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("value", ADDED, ids=str)
def test_tables_need_no_column_that_a_later_dict_added(form, value):
    encoder = TableEncoder(form=form).fit({"a": [1.0, 2.0], "b": ["x", "y"]})
    for _ in range(120):
        encoder.learn_one({"a": 3.0, "b": "x", "typo": value})
    encoder = saved(encoder)
    table, rows = {"a": [1.0, 5.0], "b": ["x", None]}, [{"a": 1.0, "b": "x"}, {"a": 5.0}]
    assert bits([encoder.look(table)]) == bits([encoder.look(rows)])
    twin = encoder.copy()
    assert bits(encoder.learn(table)) == bits(twin.learn(rows))
    assert encoder.pack() == twin.pack()
    with pytest.raises(SelectronError, match="no column 'b', which earlier rows had"):
        encoder.look({"a": [1.0], "typo": [value]})


def test_versions_are_categories_of_their_own():
    versions = ["5.1", "5.10", "5.15", "12E4", "120000"]
    encoder = TableEncoder({"version": "category"}).fit({"version": versions * 20})
    assert encoder.get_feature_names_out()[:5].tolist() == [f"version={one}" for one in versions]


@pytest.mark.parametrize(
    ("written", "typed"),
    [(["true", "FALSE", ""], [True, False, None]), (["3.0", "4", "-2.5"], [3.0, 4, -2.5])],
)
def test_truth_values_and_whole_numbers_are_the_same_however_they_are_written(written, typed):
    rows = [[{"c": x} for x in values * 40] for values in (written, typed)]
    tables = [*rows, pa.table({"c": written * 40}), pd.DataFrame({"c": typed * 40})]
    packed = [TableEncoder({"c": "category"}).fit(table).pack() for table in tables]
    assert all(one["layout"] == packed[0]["layout"] for one in packed)
    encoder = TableEncoder({"c": "category"}).fit(tables[0])
    for table in tables:
        assert (encoder.transform(table) == encoder.transform(tables[0])).all()


TRUTHS = [
    [True, False, True, None],
    [1, 0, 1, None],
    [1.0, 0.0, 1.0, None],
    ["1", "0", "1", ""],
    ["true", "FALSE", "True", ""],
]


@pytest.mark.parametrize("later", TRUTHS, ids=repr)
@pytest.mark.parametrize("first", TRUTHS, ids=repr)
def test_truth_values_may_come_back_as_0_and_1(first, later):
    encoder = TableEncoder({"c": "category"}).fit({"c": first})
    width, same = len(encoder.layout_), encoder.transform({"c": first})
    for rows in ({"c": later}, [{"c": x} for x in later]):
        assert (encoder.transform(rows) == same).all()
        twin = encoder.copy()
        assert bits(twin.learn(rows)) == bits(encoder.copy().learn({"c": first}))
        assert len(twin.layout_) == width


def test_many_new_keys_are_warned_of_once():
    encoder = TableEncoder().fit([{f"k{j}": 1.0 for j in range(200)}])
    with pytest.warns(UserWarning, match="over 256 columns, and each slows every row") as found:
        encoder.partial_fit([{f"k{j}": 1.0} for j in range(400)])
    assert len(found) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TableEncoder().fit([{f"k{j}": 1.0 for j in range(400)}])


@pytest.mark.parametrize("size", [-1e12, 1e4])
@pytest.mark.parametrize("first", [8, 30, 200])
def test_a_number_that_is_far_off_does_not_hide_the_others(size, first):
    values = np.random.default_rng(0).normal(3, 2, 2000)
    values[[first, 900, 901]] = size
    encoder = TableEncoder().fit({"c": values})
    by_row = TableEncoder().fit([{"c": value} for value in values.tolist()])
    assert encoder.pack() == by_row.pack()
    scores = encoder.transform({"c": [3.0, 5.0, size]})[:, 0]
    assert scores.tolist() == pytest.approx([0, 1, math.copysign(8, size)], abs=0.2)


@pytest.mark.parametrize("count", [8, 30, 1000])
def test_a_number_is_far_if_it_is_8_deviations_off_those_before_it(count):
    values = np.random.default_rng(count).normal(3, 2, count)
    for factor, expected in ((7.99, False), (8.01, True)):
        more = np.append(values, values.mean() + factor * values.std())
        z = (more[-1] - more.mean()) / more.std()
        assert is_outlier(z, count + 1) == expected
    assert not is_outlier(9.0, 8)


def test_a_number_after_a_constant_counts_as_it_is():
    encoder = TableEncoder().fit({"c": [0.0] * 200 + [1.0]})
    assert encoder.transform({"c": [0.0, 1.0]})[:, 0].tolist() == pytest.approx(
        [-0.07, 8], abs=0.01
    )


@pytest.mark.parametrize("value", [1e6, -999.0, 1e12])
@pytest.mark.parametrize("row", [0, 3, 7])
def test_one_absurd_number_among_the_first_does_not_hide_the_others(value, row):
    values = np.random.default_rng(0).normal(5, 2, 120)
    values[row] = value
    encoder = TableEncoder().fit({"c": values})
    by_row = TableEncoder().fit([{"c": number} for number in values.tolist()])
    assert encoder.pack() == by_row.pack()
    scores = encoder.transform({"c": [3.0, 5.0, value]})[:, 0]
    assert scores.tolist() == pytest.approx([-1, 0, math.copysign(8, value)], abs=0.6)


def test_a_number_that_is_rarely_on_among_the_first_counts_as_it_is():
    values = [0.0] * 7 + [5.0]
    encoder = TableEncoder().fit({"c": values})
    assert encoder.transform({"c": [5.0]})[0, 0] == pytest.approx(7**0.5)


def test_units_in_a_column_of_categories_are_read_as_in_text():
    values = [f"{i % 13},5 kg" for i in range(300)]
    found = [
        TableEncoder({"c": "number"}).fit(pd.DataFrame({"c": pd.Series(values, dtype=kind)}))
        for kind in (object, "category")
    ]
    assert found[0].report() == found[1].report() == ["c: number, in kg, decimal comma"]
    row = {"c": ["3,5 kg"]}
    assert found[0].transform(row).tolist() == found[1].transform(row).tolist()


def test_an_error_leaves_the_encoding_as_it_was():
    encoder = TableEncoder().fit([{"a": 1.0}, {"a": 2.0}])
    before = encoder.pack()
    for method in (encoder.fit, encoder.partial_fit):
        with pytest.raises(SelectronError, match="A row must be a dict"):
            method([{"a": 3.0}, {"z": 5.0}, 7])
        assert encoder.pack() == before


@pytest.mark.parametrize("size", [10, 60, 100])
def test_blanks_after_the_first_values_count_in_tables_as_in_rows(size):
    texts = ["x"] * 20 + [""] * 80 + ["1", "2"] * 100
    alone, parts = TableEncoder(), TableEncoder()
    for text in texts:
        alone.learn_one({"c": text})
    for start in range(0, len(texts), size):
        parts.partial_fit(pa.table({"c": texts[start : start + size]}))
    assert parts.pack() == alone.pack()
    assert alone.kinds_ == {"c": "category"}


USERS = [
    {"user": {"plan": f"p{i % 3}", "age": 20.0 + i % 9}, "z": i * 0.5}
    | ({"user": None} if i % 40 == 7 else {"user": {"age": "x", "n": {"k": i}}} if i == 130 else {})
    for i in range(160)
]
FRAMES = {
    "pandas": pd.DataFrame,
    "columns": lambda rows: {name: [row[name] for row in rows] for name in ("user", "z")},
}


@pytest.mark.parametrize("form", FRAMES)
def test_dicts_in_data_frames_are_columns_as_in_rows(form):
    """Of fields that come late too, with values of several types."""
    encoder, rows = TableEncoder().fit(FRAMES[form](USERS)), TableEncoder().fit(USERS)
    assert encoder.kinds_ == {name: kind for name, kind in rows.kinds_.items() if name != "user"}
    assert list(encoder.kinds_) == ["user.plan", "user.age", "z", "user.n.k"]
    assert (encoder.transform(USERS) == rows.transform(USERS)).all()
    assert (encoder.transform(FRAMES[form](USERS)) == rows.transform(USERS)).all()
    for cuts in ([0, 1, 90, 160], [0, 8, 131, 160]):
        parts = TableEncoder()
        for start, stop in itertools.pairwise(cuts):
            parts.partial_fit(FRAMES[form](USERS[start:stop]))
            parts = saved(parts)
        assert parts.pack() == encoder.pack()


def test_tables_of_objects_need_the_other_columns_of_the_first():
    frame = pd.DataFrame(USERS)
    encoder = TableEncoder().fit(frame.assign(t="2026-01-01"))
    with pytest.raises(SelectronError, match="no column 'z', which earlier rows had"):
        encoder.transform(frame.drop(columns="z").assign(t=""))
    with pytest.raises(SelectronError, match="no column 'late' in earlier rows"):
        encoder.partial_fit(frame.assign(t="", late=1.0))
    typed = frame.assign(t=pd.Categorical(["7", "8"] * 80))
    assert TableEncoder().fit(typed).kinds_["t"] == "category"
    whole = TableEncoder({"user": "text"}).fit(frame)
    assert list(whole.kinds_) == ["user", "z"]


def test_structs_of_pandas_are_columns_as_in_arrow():
    table = pa.Table.from_pylist(USERS[:130])
    frame = table.to_pandas(types_mapper=pd.ArrowDtype)
    assert TableEncoder().fit(frame).pack() == TableEncoder().fit(table).pack()


@pytest.mark.parametrize("key", [str, int])
def test_maps_are_columns_as_in_rows_of_json(key):
    keys = [key(k) for k in (1, 2, 3, 4)]
    cells = [{k: float(i % (3 + j)) for j, k in enumerate(keys) if i % (j + 2)} for i in range(200)]
    cells[5] = None
    maps = [x if x is None else list(x.items()) for x in cells]
    kind = pa.map_(pa.string() if key is str else pa.int64(), pa.float64())
    table = pa.table({"a": pa.array(maps, kind), "z": pa.array([1, 2] * 100)})
    rows = [
        {f"a.{k}": v for k, v in (x or {}).items()} | {"z": z}
        for x, z in zip(cells, [1, 2] * 100, strict=True)
    ]
    encoder, expected = TableEncoder().fit(table), TableEncoder().fit(rows)
    assert encoder.report() == expected.report()
    assert bits([encoder.look(table)]) == bits([encoder.look(rows)]) == bits([expected.look(rows)])
    parts = TableEncoder()
    for start in range(0, 200, 70):
        parts.partial_fit(table[start : start + 70])
    assert parts.pack() == encoder.pack()
    inner = pa.table({"of": pa.StructArray.from_arrays([table["a"].combine_chunks()], ["a"])})
    assert TableEncoder().fit(inner).n_features_in_ == 4
    if key is str:  # pandas has lists of pairs
        assert TableEncoder().fit(table.to_pandas()).report() == expected.report()
    assert TableEncoder({"a": "text"}).fit(table).kinds_ == {"a": "text", "z": "number"}


def windows(n, shape, blank):
    """Return lists of numbers of a shape, with blank entries and two odd lists."""
    rng = np.random.default_rng(0)
    values = np.where(
        rng.random((n, *shape)) < blank, np.nan, rng.normal(size=(n, *shape)).round(3)
    )
    values[:2, 0] = np.nan  # a mean is not known yet
    lists = json.loads(json.dumps(values.tolist()).replace("NaN", "null"))
    lists[n // 2], lists[n // 3] = [1.0], None
    return lists


@pytest.mark.parametrize("blank", [0.0, 0.1])
@pytest.mark.parametrize("shape", [(6,), (2, 3), (2, 1, 3)])
def test_a_blank_entry_of_a_list_is_the_mean_of_its_place(shape, blank):
    lists = windows(300, shape, blank)
    odd = lists[150]
    for _ in shape[1:]:
        odd = [odd]
    lists[150] = odd
    texts = [None if x is None else json.dumps(x) for x in lists]
    rows = [{"v": x} for x in lists]
    forms = [pa.table({"v": pa.array(lists)}), pa.table({"v": texts}), rows]
    encoders = [TableEncoder() for _ in forms]
    expected, *others = (
        bits(encoder.learn(form)) for encoder, form in zip(encoders, forms, strict=True)
    )
    assert others == [expected, expected]
    assert encoders[2].report() == ["v: vector, 6 numbers, 0.3% blank, 1 odd value taken as blank"]
    parts, found = TableEncoder(), []
    for start, stop in itertools.pairwise([0, 1, 2, 90, 151, 300]):
        found += bits(parts.learn(forms[0].slice(start, stop - start)))
        parts = saved(parts)
    assert found == expected
    assert parts.pack() == encoders[0].pack()
    means, seen = np.zeros(6), np.zeros((0, 6))
    block = np.concatenate([block.values[:, :6] for block in TableEncoder().learn(rows)])
    for row, x in zip(block, lists, strict=True):
        if x is not None and x is not odd:
            values = np.array(x, float).ravel()
            np.testing.assert_allclose(row, np.where(np.isnan(values), means, values), atol=1e-9)
            seen = np.concatenate([seen, values[None]])
            known = ~np.isnan(seen)
            means = np.where(known, seen, 0).sum(axis=0) / known.sum(axis=0).clip(1)
    gap = np.full(shape, np.nan).tolist()
    for form in ([{"v": gap}], pa.table({"v": [gap]}), {"v": [json.dumps(gap)]}):
        np.testing.assert_allclose(encoders[0].transform(form)[0, :6], means, atol=1e-9)


def test_numbers_in_a_column_of_vectors_are_odd():
    encoder = TableEncoder({"v": "vector"}).fit({"v": [[1.0], [2.0]]}).partial_fit({"v": [3.0]})
    assert encoder.report() == ["v: vector, 1 numbers, 1 odd value taken as blank"]
