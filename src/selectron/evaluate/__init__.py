"""What a pass came to: curves over time, totals, tables and pictures; audits, and drift."""

from ..history.drift import Drifts
from .audit import Audit, Estimate, audited

__all__ = ["Audit", "Drifts", "Estimate", "audited"]
