"""Evaluation: totals, tables and pictures of passes; metrics, estimates, drift and sweeps."""

from ..history.drift import Drifts
from ..model.audit import Audit, Estimate, audited
from ..model.metrics import Metrics, RunMetrics
from .tables import described

__all__ = ["Audit", "Drifts", "Estimate", "Metrics", "RunMetrics", "audited", "described"]
