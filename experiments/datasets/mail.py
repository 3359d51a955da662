"""Messages that are wanted or not: a mail corpus, and SMS."""

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from .blocks import arrays, sparse
from .dataset import Dataset
from .home import contents, file, reading
from .words import hashed

CLASSES = np.array(["ham", "spam"])


def spam() -> Dataset:
    """Return the spam corpus: 9,324 mails, 39,916 words (0 or 1, sparse), "ham" or "spam".

    From SpamAssassin's archives, said to be in order of time; the share of spam falls from three
    quarters to a tenth. Raises SelectronError where the file is not to be had.

    Source: Katakis, Tsoumakas & Vlahavas, "Tracking Recurring Contexts Using Ensemble Classifiers"
    (Knowledge and Information Systems, 2010).
    """
    with reading(file("spam_corpus/spam_corpus.npz")) as path:
        packed = arrays(path)
        X, y = sparse(packed), CLASSES[packed["y"].astype(int)]
    return Dataset(X, y, CLASSES)


def sms(vectorizer: Any = None) -> Dataset:
    """Return SMS Spam Collection: 5,574 messages, "ham" or "spam", not in order of time.

    `vectorizer` makes rows of texts; None is that of `words.hashed`. Raises SelectronError where
    the file is not to be had.

    Source: Almeida, Gómez Hidalgo & Yamakami, "Contributions to the Study of SMS Spam Filtering"
    (DocEng 2011).
    """
    path = file("sms_spam/sms+spam+collection.zip", "sms_spam/SMSSpamCollection")
    with reading(path):
        pairs = [line.split("\t", 1) for line in _lines(path)]
        y = np.array([label for label, _ in pairs])
    return Dataset(hashed([text for _, text in pairs], vectorizer), y, CLASSES)


def _lines(path: Path) -> list[str]:
    """Return a line a message; a line without a label belongs to the one before it."""
    data = contents(path)
    if path.suffix == ".zip":
        data = zipfile.ZipFile(io.BytesIO(data)).read("SMSSpamCollection")
    lines: list[str] = []
    for line in data.decode("utf-8").rstrip("\n").split("\n"):
        if "\t" in line:
            lines.append(line)
        else:
            lines[-1] += f" {line}"
    return lines
