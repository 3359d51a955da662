"""What a pass came to: curves over time, totals, tables and pictures; audits of accuracy."""

from .audit import Audit, Estimate, audited

__all__ = ["Audit", "Estimate", "audited"]
