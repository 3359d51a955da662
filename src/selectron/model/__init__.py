"""The model: state, draws and tickets, without anything of scikit-learn."""

from .model import Model as Model
