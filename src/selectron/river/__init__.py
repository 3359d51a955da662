"""Selectron as a classifier of River (https://riverml.xyz), which `selectron[river]` installs."""

try:
    from .classifier import Classifier
except ModuleNotFoundError as error:
    need = f"selectron.river needs River: pip install 'selectron[river]' ({error})"
    raise ModuleNotFoundError(need, name=error.name) from None

__all__ = ["Classifier"]
