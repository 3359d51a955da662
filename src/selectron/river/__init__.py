"""Selectron as a classifier of River (https://riverml.xyz), which `selectron[river]` installs."""

try:
    from .classifier import Classifier
except ModuleNotFoundError as error:
    if error.name != "river":
        raise
    need = "selectron.river needs River: pip install 'selectron[river]'"
    raise ModuleNotFoundError(need, name="river") from None

__all__ = ["Classifier"]
