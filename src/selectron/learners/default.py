"""The default learner, of the estimator and of `selectron run`."""

from typing import Any

from .leading_history import LeadingHistory
from .least_squares import LASEC

WIDE = 1024  # dense features up to which LeadingHistory is the default


def default_for(width: int, sparse: bool, kernel: Any = None) -> Any:
    """Return the default learner for rows of this kind.

    LeadingHistory needs the eigenvectors of a d x d matrix on dense rows; it has no kernel.

    >>> default_for(30, sparse=False), default_for(2000, sparse=False)
    (LeadingHistory(switches=0.0015, fourier=100), LASEC(b=1.0, c=1000.0))
    """
    wide = width > WIDE and not sparse
    return LASEC() if wide or kernel is not None else LeadingHistory()
