"""Readers: files of labelled or unlabelled rows, read in chunks, so that memory stays flat."""

from .source import Chunk, Source, by_name
from .source import read as read

__all__ = ["Chunk", "Source", "by_name"]
