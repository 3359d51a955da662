"""Streams: generated, made from a table or a data set, or read from files in chunks."""

from .gaussian import switching_gaussian
from .phases import four_phases
from .shifting import digits, shifting_classes

__all__ = ["digits", "four_phases", "shifting_classes", "switching_gaussian"]
