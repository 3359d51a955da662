"""Selectron as a classifier of River (https://riverml.xyz), which `selectron[river]` installs."""

from .classifier import Classifier

__all__ = ["Classifier"]
