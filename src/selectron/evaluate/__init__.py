"""What a pass came to: curves over time, totals, tables and pictures; audits, and drift."""

from .audit import Audit, Estimate, audited
from .drift import Drifts

__all__ = ["Audit", "Drifts", "Estimate", "audited"]
