"""Single values and arrays of them: which are blank, and their form as numbers or text."""

import importlib
import json
import math
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import date, timedelta
from enum import Enum
from operator import is_not
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import SelectronError
from .cells import ABSENT, canonical, label_of
from .labels import is_missing
from .times import END, duration
from .times import FIRST as EARLIEST

with suppress(ImportError):  # if Arrow imports it, in the middle of a conversion, Ctrl-C is lost
    importlib.import_module("pandas")

BLANKS = ABSENT | {"none"}
LOG2 = math.log(2)
# as Arrow reads them: \d has digits of other scripts
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
MINUS = "\u2212"
SPACES = " \u00a0\u202f'\u2019"  # between groups of digits
CODES = (
    "AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF INR JPY KRW MXN NOK NZD PLN SEK SGD TRY USD ZAR"
)
SYMBOL = "[A-Z]{0,2}[$€£¥₹₩₽₺₫₴₪₱฿]"
MONEY = rf"(?:{SYMBOL}|kr|{CODES.replace(' ', '|')})"  # it is dropped
UNIT = re.compile(r"(.+?)[ \u00a0\u202f]?([^\W\d_]\S{0,11}|°\S{0,3})")  # behind a number
PANDAS_INDEX = re.compile(r"__index_level_\d+__")  # names of rows that pandas writes into tables
LIMITS = "<", ">", "≤", "≥"  # before a number, also with a "="
CODE = re.compile("0[0-9]{2,}")  # such as 0815; with two digits, it may be a minute
LARGEST = 1e150  # sums of squares of such numbers are finite
HUGE = 1e6  # products of smaller numbers with weights are finite
LISTS = {list, tuple, np.ndarray}
OBJECT = np.dtype(object)
DAYS = {date, type(None)}
BRACKETS = str.maketrans("{}", "[]")
NULL = re.compile("none|null|nan", re.IGNORECASE)  # in lists
LISTED = re.compile(r"\s*[\[{]([^\[\]{}]*)[\]}]\s*")  # as JSON, NumPy and databases write lists


def is_blank(x: Any) -> bool:
    """Return whether a value is missing, as empty lists are.

    >>> is_blank(" NA "), is_blank(np.float32("nan")), is_blank([]), is_blank(0)
    (True, True, True, False)
    """
    if isinstance(x, str):
        return x.strip().lower() in BLANKS
    if type(x) in LISTS:
        return (x.size if isinstance(x, np.ndarray) else len(x)) == 0
    return is_missing(x)


def number_pattern(mark: str, group: str) -> re.Pattern[str]:
    """Return the pattern of formatted numbers, given the decimal mark."""
    grouped = rf"[1-9][0-9]{{0,2}}(?P<group>[{group}{SPACES}])[0-9]{{3}}(?:(?P=group)[0-9]{{3}})*"
    lakhs = r"|[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}" if group == "," else ""
    digits = rf"(?:{grouped}{lakhs}|[0-9]+)"
    number = rf"(?:{digits}(?:{mark}[0-9]+)?|{mark}[0-9]+)(?:[eE][+-]?[0-9]+)?"
    sign = rf"(?:(?P<sign>[+-]?) ?{MONEY}? ?|{SYMBOL} ?(?P<inner>[+-]))"
    limit = rf"(?:[{''.join(LIMITS)}]=?)? ?"
    return re.compile(rf"{limit}{sign}(?P<number>{number})[ \u00a0\u202f]?(?:{MONEY}|%)?")


FORMATTED = {".": number_pattern(r"\.", ","), ",": number_pattern(",", ".")}
PLAIN = {".": str.maketrans("", "", "," + SPACES), ",": str.maketrans(",", ".", "." + SPACES)}


def plain_number(text: str, decimal: str) -> str:
    """Return a formatted number as Python writes it, "" if it is none.

    >>> plain_number("$1,234.50", "."), plain_number("-1.234,5 EUR", ","), plain_number("3,5", ".")
    ('1234.50', '-1234.5', '')
    >>> plain_number("(45.00)", "."), plain_number("12,34,567", "."), plain_number("\u22121.5", ".")
    ('-45.00', '1234567', '-1.5')
    >>> plain_number("<0.5", "."), plain_number("≥ 60", "."), plain_number(">=60", ".")
    ('0.5', '60', '60')
    """
    if decimal == "." and NUMBER.fullmatch(text):
        return text
    text = text.replace(MINUS, "-")
    if text[:1] + text[-1:] == "()" and not text[1:-1].strip().isdigit():  # a debt, not a code
        text = f"-{text[1:-1]}"
    found = FORMATTED[decimal].fullmatch(text)
    if not found:
        return ""
    return (found["sign"] or found["inner"] or "") + found["number"].translate(PLAIN[decimal])


def number_of(x: Any, decimal: str = ".", unit: str = "") -> float:
    """Return a value as a number, NaN if it is none, or too large; durations are in seconds.

    Text may end with the unit. If that is "s", text such as 0:03:24 is a duration.

    >>> number_of(" 1e3 "), number_of("1_000"), number_of("12 %"), number_of(timedelta(minutes=1))
    (1000.0, nan, 12.0, 60.0)
    >>> number_of("83 mg/dl", unit="mg/dl"), number_of("83", unit="g"), number_of("83 mg", unit="g")
    (83.0, 83.0, nan)
    >>> number_of("0 days 00:03:24"), number_of("0:03:24", unit="s"), number_of("0:03:24")
    (204.0, 204.0, nan)
    """
    if type(x) is float:
        return x if -LARGEST < x < LARGEST else math.nan
    if isinstance(x, str):
        text = x.strip()
        x = plain_number(text.removesuffix(unit).rstrip(), decimal)
        x = x or (duration(text, unit == "s") if text and decimal == "." else math.nan)
    try:
        if isinstance(x, np.timedelta64):
            x = x / np.timedelta64(1, "s")
        found = float(x.total_seconds() if isinstance(x, timedelta) else x)
    except (TypeError, ValueError, OverflowError):
        return math.nan
    return found if -LARGEST < found < LARGEST else math.nan


def category_of(x: Any) -> str:
    """Return a value of a category as text, "" if it is missing.

    Truth values and numbers are the same however they are written.

    >>> category_of("TRUE"), category_of(True), category_of("3.0"), category_of("03")
    ('True', 'True', '3', '03')
    """
    return canonical(text_of(x))


def text_of(x: Any) -> str:
    """Return a value as text, "" if it is missing.

    Whole numbers in a list, such as ids, have two digits at least, as words of text have.

    >>> text_of(" FR "), text_of(1.0), text_of(None), text_of(True), text_of({"a": None})
    ('FR', '1', '', 'True', '{"a": null}')
    >>> text_of([7, -12])
    '07 n12'
    """
    if is_blank(x):
        return ""
    if type(x) in LISTS and are_whole(x):
        return " ".join(f"{'n' * (entry < 0)}{abs(int(entry)):02d}" for entry in x)
    if isinstance(x, np.floating):
        x = float(x)
    if isinstance(x, float) and x.is_integer():
        return str(int(x))
    if isinstance(x, dict):
        with suppress(TypeError, ValueError):  # such as keys that JSON has not
            x = json.dumps(x, ensure_ascii=False, default=str)
    try:
        text = str(x).strip()
    except ValueError:  # a whole number of thousands of digits
        return hex(x)
    return text if text.isascii() else text.encode(errors="replace").decode()  # no lone surrogates


def without_members(x: Any) -> Any:
    """Return a value in which members of an Enum are their values.

    >>> size = Enum("Size", {"LARGE": 3})
    >>> without_members(size.LARGE), without_members([size.LARGE, 4])
    (3, [3, 4])
    """
    if isinstance(x, list | tuple):  # of an embedding, a look at the types takes a quarter
        found = any(issubclass(kind, Enum) for kind in {*map(type, x)})
        return [*map(without_members, x)] if found else x
    return x.value if isinstance(x, Enum) else x


def are_whole(x: Any) -> bool:
    """Return whether this is a list of whole numbers.

    >>> are_whole([7, 12]), are_whole((7, 1.5)), are_whole("[7]"), are_whole([True])
    (True, False, False, False)
    """
    if isinstance(x, np.ndarray):
        return x.ndim == 1 and x.dtype.kind in "iu"
    return isinstance(x, list | tuple) and all(
        isinstance(entry, int | np.integer) and not isinstance(entry, bool) for entry in x
    )


def vector_of(x: Any) -> np.ndarray | None:
    """Return a list, or text of one, as numbers; None if an entry is none or too large.

    Blank entries are NaN, and lists of lists of one shape are one list.

    >>> vector_of((1, 2.5)), vector_of("[0.5, -1e3]"), vector_of("{1 2}"), vector_of("[spam]")
    (array([1. , 2.5]), array([ 5.e-01, -1.e+03]), array([1., 2.]), None)
    >>> vector_of([[1, None], [3, 4]]), vector_of("[[1, null], [3, 4]]"), vector_of([[1], [2, 3]])
    (array([ 1., nan,  3.,  4.]), array([ 1., nan,  3.,  4.]), None)
    """
    largest = LARGEST
    try:
        if isinstance(x, str):
            found, largest = LISTED.fullmatch(x), HUGE
            x = NULL.sub("NaN", found[1] if found else x)
            x = x.replace(",", " ").split() if found else json.loads(x.translate(BRACKETS))
        values = np.asarray(x, dtype=float)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return None
    sound = values.ndim and values.size and not (np.abs(values) >= largest).any()
    return values.ravel() + 0.0 if sound else None  # no -0.0, which sums of sparse rows lose


def is_text(kind: pa.DataType) -> bool:
    """Return whether an Arrow type is text."""
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def is_list(kind: pa.DataType) -> bool:
    """Return whether an Arrow type is one of lists."""
    t = pa.types
    return t.is_list(kind) or t.is_large_list(kind) or t.is_fixed_size_list(kind)


def blanks_of(array: pa.Array) -> np.ndarray:
    """Return which values are missing."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    missing = array.is_null(nan_is_null=True)
    if is_list(array.type):
        missing = pc.or_(missing, pc.fill_null(pc.equal(pc.list_value_length(array), 0), False))
    if is_text(array.type):
        words = pa.array(sorted(BLANKS), array.type)
        blank = pc.is_in(pc.utf8_lower(pc.utf8_trim_whitespace(array)), words)
        missing = pc.or_(missing, pc.fill_null(blank, False))
    return missing.to_numpy(zero_copy_only=False)


def values_of(array: pa.Array | pa.ChunkedArray) -> list[Any]:
    """Return values as Python's; dates and durations that Python cannot hold, as text."""
    try:
        return array.to_pylist()
    except (OverflowError, ValueError):
        try:
            return array.cast(pa.string()).to_pylist()
        except pa.ArrowException:
            what = f"A column of {array.type} has values that Python cannot hold"
            raise SelectronError(f"{what}: convert them to text.") from None


def records(table: pa.Table) -> list[dict[str, Any]]:
    """Return the rows of a table as dicts, of values as in `values_of`."""
    try:
        return table.to_pylist()
    except (OverflowError, ValueError):
        columns = zip(*map(values_of, table.columns), strict=True)
        return [dict(zip(table.column_names, row, strict=True)) for row in columns]


def texts_of(array: pa.Array) -> list[str]:
    """Return values as text, "" where they are missing, as `text_of` does; spaces stay."""
    if not is_text(array.type):
        return [text_of(x) for x in values_of(array)]
    return pc.if_else(pa.array(blanks_of(array)), "", array).to_pylist()


def unit_of(x: Any) -> str:
    """Return the unit behind a number in text, "" if there is none, or it is one of money.

    That of a duration is "s".

    >>> unit_of(timedelta(minutes=3)), unit_of("PT3M24S")
    ('s', 's')
    >>> unit_of("83,5 mg/dl"), unit_of("500g"), unit_of("37 °C"), unit_of("5 EUR"), unit_of("1e5")
    ('mg/dl', 'g', '°C', '', '')
    """
    text = x.strip() if isinstance(x, str) else ""
    if isinstance(x, timedelta | np.timedelta64) or not math.isnan(duration(text)):
        return "s"
    found = UNIT.fullmatch(text)
    if found is None or _is_number(x):
        return ""
    return found[2] if _is_number(found[1]) else ""


def _is_number(text: str) -> bool:
    """Return whether text is a number with one of the decimal marks."""
    return any(plain_number(text.strip(), decimal) for decimal in FORMATTED)


def numbers_of(array: pa.Array, decimal: str, unit: str) -> np.ndarray:
    """Return values as numbers, NaN where there is none, as `number_of` does."""
    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    if is_text(array.type):
        array = cast_text(array, decimal, unit)
    elif pa.types.is_integer(array.type) or pa.types.is_floating(array.type):
        array = array.cast(pa.float64(), safe=False)
    else:
        return np.array([number_of(x) for x in values_of(array)], float)
    values = array.to_numpy(zero_copy_only=False).astype(float)
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(values) < LARGEST, values, math.nan)


def cast_text(array: pa.Array, decimal: str, unit: str) -> pa.Array:
    """Return text as numbers, null where it is none; value by value if Arrow cannot cast it."""
    text = pc.utf8_trim_whitespace(array)
    if decimal == "." and not unit:
        with suppress(pa.ArrowInvalid):
            return text.cast(pa.float64())
        with suppress(pa.ArrowInvalid):
            return pc.if_else(pa.array(blanks_of(text)), None, text).cast(pa.float64())
    codes, distinct = dictionary_encoded(text)
    return pa.array(np.array([number_of(x, decimal, unit) for x in distinct], float)[codes])


def dates_of(array: pa.Array, parse: Callable[[Any], float]) -> np.ndarray:
    """Return dates in seconds since 1970, NaN where there is none."""
    if pa.types.is_timestamp(array.type) or pa.types.is_date(array.type):
        found = array.cast(pa.timestamp("us", getattr(array.type, "tz", None)), safe=False)
    else:
        try:
            found = pc.utf8_trim_whitespace(array).cast(pa.timestamp("us"))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            codes, distinct = dictionary_encoded(array)
            return np.array([parse(x) for x in distinct], float)[codes]
    values = found.cast(pa.int64()).to_numpy(zero_copy_only=False).astype(float) / 1e6
    with np.errstate(invalid="ignore"):
        return np.where((values >= EARLIEST) & (values < END), values, math.nan)


def holds_objects(column: Any) -> bool:
    """Return whether the values of a column may be of any type."""
    return getattr(column, "dtype", OBJECT) == OBJECT and not hasattr(column, "type")


def array_of(column: Any) -> pa.Array:
    """Return a column as an Arrow array, as text if its values are of several types, or odd ones.

    Intervals, periods and dicts are odd, and lists as categories. Among dates without a time, Arrow
    would cut off the times of others, and take whole numbers for days.
    """
    try:
        array = pa.array(column, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        values = [*map(without_members, column)]
        if any(map(is_not, values, column)):
            return array_of(values)
        return pa.array([text_of(x) for x in values])
    if pa.types.is_date(array.type) and holds_objects(column) and {*map(type, column)} - DAYS:
        return pa.array([text_of(x) for x in column])
    coded = pa.types.is_dictionary(array.type)
    kind = array.type.value_type if coded else array.type
    struct = pa.types.is_struct(kind) and holds_objects(column)
    odd = isinstance(kind, pa.BaseExtensionType) or struct
    if not (odd or (coded and pa.types.is_nested(kind))):
        return array
    texts = pa.array([text_of(x) for x in column])
    return texts.dictionary_encode() if coded else texts


def labels_of(array: pa.Array) -> np.ndarray:
    """Return values as labels: text, or None where they are missing."""
    codes, distinct = dictionary_encoded(array)
    return np.array([*map(label_of, distinct)], object)[codes]


def dictionary_encoded(array: pa.Array) -> tuple[np.ndarray, list[Any]]:
    """Return values as codes, and the distinct values, in the order of appearance."""
    try:
        if pa.types.is_dictionary(array.type):
            array = array.cast(array.type.value_type)
        table = array.dictionary_encode(null_encoding="encode")
    except pa.ArrowNotImplementedError:
        table = pa.array(map(text_of, array.to_pylist())).dictionary_encode()
    return table.indices.to_numpy(), values_of(table.dictionary)


def log(x: float) -> float:
    """Return the logarithm, interpolated between powers of two.

    It is the same to the last digit for one number and, as `logs`, for many.

    >>> log(1.0), round(log(8), 4), round(log(12), 2), round(math.log(12), 2)
    (0.0, 2.0794, 2.43, 2.48)
    """
    part, exponent = math.frexp(x)
    return LOG2 * (exponent - 2 + 2 * part)


def logs(x: np.ndarray) -> np.ndarray:
    """Return the logarithms of several numbers."""
    part, exponent = np.frexp(x)
    found: np.ndarray = LOG2 * (exponent - 2 + 2 * part)
    return found
