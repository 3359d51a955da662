"""A predictor of few lines, without compiled code, that keeps to the interface."""

import random

from selectron import SelectronError, storage
from selectron_desktop.alarms import Alarm, Prediction


class Fake:
    """Predicts what the last resource was declared as; draws whether to raise an alarm."""

    def __init__(self, chance=1.0):
        self.chance, self.raised, self.until = chance, 0, 0.0
        self.draws, self.declared = 0, None
        self.owner, self.seen, self.asked, self.heard = {}, [], {}, []

    def see(self, event):
        if event.start < self.until:
            raise SelectronError("late")
        self.until = event.end
        self.seen.append([event.start, event.end, event.resource])

    def tick(self, time):
        assert time >= self.until
        self.until = time
        present = [resource for _, _, resource in self.seen if resource]
        self.seen.clear()
        if not present:
            return None
        activity = self.owner.setdefault(present[-1], self.declared)
        alarm = None
        if activity and activity != self.declared and self._drawn():
            self.raised += 1
            alarm = Alarm(self.raised, time, activity, self.declared, time - 60, 1.5, 1.0)
            self.asked[str(self.raised)] = present[-1]
        return Prediction(time, activity, 1.5, self.declared, alarm)

    def _drawn(self):
        self.draws += 1
        return random.Random(self.draws).random() < self.chance

    def declare(self, activity, time):
        self.declared = activity
        self.heard.append(["declare", activity, time])

    def answer(self, alarm, activity, time=None):
        if str(alarm) not in self.asked:
            raise SelectronError("too old")
        self.owner[self.asked[str(alarm)]] = self.declared = activity
        self.heard.append(["answer", alarm, activity, time])

    def set_back(self, time):
        self.until = time
        self.asked.clear()

    def rename(self, old, new):
        self.heard.append(["rename", old, new])
        self.owner = {key: new if name == old else name for key, name in self.owner.items()}
        self.declared = new if self.declared == old else self.declared

    def merge(self, old, into):
        self.rename(old, into)

    def create(self, name):
        self.heard.append(["create", name])

    def close(self, name):
        self.heard.append(["close", name])

    def associate(self, resource, activity):
        self.owner[resource] = activity

    def save(self, path):
        storage.write(path, vars(self), {})

    @classmethod
    def load(cls, path):
        one = cls()
        one.__dict__.update(storage.read(path)[0])
        return one
