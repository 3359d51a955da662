"""Streams: generated, made from a table or a data set, or read from files in chunks."""

from .generated import digits, four_phases, shifting_classes, switching_gaussian

__all__ = ["digits", "four_phases", "shifting_classes", "switching_gaussian"]
