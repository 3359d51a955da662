"""Linear algebra in one thread: small systems are solved faster, and alike on every machine."""

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

controller = cache(ThreadpoolController)  # it looks for the libraries, which takes a while


def one_thread() -> AbstractContextManager[Any]:
    """Return a context in which BLAS has one thread.

    >>> with one_thread():
    ...     {found["num_threads"] for found in controller().info() if found["user_api"] == "blas"}
    {1}
    """
    limited: AbstractContextManager[Any] = controller().limit(limits=1, user_api="blas")
    return limited
