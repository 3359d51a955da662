"""A learner that is too eager for P, as rounding may make one."""

from typing import NamedTuple

from selectron.engine.round import Shape, ShapeStep


class Overshooting(NamedTuple):
    """Takes a little more than all of P along g, as a nu that was rounded may."""

    def numbers(self):
        return ()

    def shape(self):
        return Shape(scale=1.0)

    def normalize(self):
        return False

    def score(self, m, q):
        return m

    def steps(self, m, y):
        return True

    def step(self, r):
        return ShapeStep(eta=(r.y - r.m) / r.q, mu=1.0, nu=(1 + 1e-9) / r.q)
