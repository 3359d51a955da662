"""Evaluation: totals, tables and pictures of passes; estimated accuracy, drift and sweeps."""

from .audit import Audit, Estimate, audited
from .drift import Drifts

__all__ = ["Audit", "Drifts", "Estimate", "audited"]
