"""A small stream for tests, and what is done with it: the tests compile one composition."""

from selectron.serve import answering
from selectron.serve.answering import Answer, Correction
from selectron.serve.declaration import Declaration, Features
from selectron.serve.service import Service, Work

WORDS = ["win", "money", "now", "prize", "meeting", "lunch", "report", "budget"]


def declared(**more):
    """Return the declaration of a small stream, all of whose items are asked for."""
    values = {"name": "mail", "classes": ["ham", "spam"], "budget": "100%", **more}
    return Declaration(**{"features": Features(kind="text", size=64), **values})


def tables(n, start=0):
    """Return items of many kinds: blanks, odd values, and fields and categories that come late."""
    for i in range(start, start + n):
        item = {"age": (None, "", 3.5, i, "ten")[i % 5], "country": f"C{i % (2 + i // 20)}"}
        item |= {
            "note": texts(1, i)[0]["text"],
            "day": f"2026-01-{i % 28 + 1:02d}",
            "in": i % 3 > 0,
        }
        item |= (
            {"place": [0.5, i]} if i % 4 else {"nested": {"a": i}, "tags": ["x", f"grade_{i % 3}"]}
        )
        yield item | {f"late {i // 50}": i}


def texts(n, start=0):
    """Return items, all of them different."""
    return [
        {"text": f"{WORDS[i % 8]} {WORDS[(i * 5 + i // 8) % 8]} w{i}"}
        for i in range(start, start + n)
    ]


def asked(stream, who, at):
    return answering.ask(stream, answering.oldest(stream, who, at), who, at)


class Desk:
    """A service, one request at a time, at a clock that only the tests move."""

    def __init__(self, folder, *declarations, **more):
        self.folder, self.now = folder, 1000.0
        self.service = Service(folder, declarations or (declared(),), **more)

    @property
    def stream(self):
        return next(iter(self.service.streams.values()))

    def do(self, function, *args, **more):
        """Do something as a request of its own; raise what it raises."""
        work = Work(lambda service, at: function(self.stream, *args, at=at, **more))
        (reply,) = self.service.run([work], self.now)
        if isinstance(reply, Exception):
            raise reply
        return reply

    def add(self, raws, keys=True, start=0):
        made = self.stream.item
        items = [made(f"k{i}" if keys else None, raw) for i, raw in enumerate(raws, start)]
        return self.do(lambda stream, at: stream.add(items, "feed", at))

    def ask(self, who="anna"):
        return self.do(lambda stream, at: asked(stream, who, at))["question"]

    def say(self, item, label, who="anna", lease=None):
        """Answer with a label, or with a verdict in brackets."""
        what = {"verdict": label[1:-1]} if label[0] == "(" else {"label": label}
        said = Answer(**what, lease=lease)
        return self.do(answering.answer, item, said, who)

    def say_all(self, labels, who="anna"):
        """Answer about items, all in one transaction."""

        def saying(item, label):
            said = Answer(label=label)
            return Work(lambda service, at: answering.answer(self.stream, item, said, who, at))

        replies = self.service.run([saying(*pair) for pair in labels.items()], self.now)
        assert not any(isinstance(reply, Exception) for reply in replies)

    def correct(self, answer, label, who="anna"):
        said = Correction(verdict="none") if label == "(none)" else Correction(label=label)
        return self.do(answering.correct, answer, said, who)

    def undo(self, answer, who="anna"):
        return self.do(answering.undo, answer, who)

    def model(self):
        """Return the model as bytes."""
        path = self.folder / "model"
        self.stream.model.clf.save(path)
        return path.read_bytes()

    def view(self):
        return self.service.views[self.stream.name]

    def crash(self):
        """Close the files as a killed process does: no snapshot is taken."""
        self.service.store.close()
