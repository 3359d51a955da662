"""Evaluation: totals, tables and pictures of passes; estimated accuracy, drift and sweeps."""

from ..history.drift import Drifts
from .audit import Audit, Estimate, audited

__all__ = ["Audit", "Drifts", "Estimate", "audited"]
