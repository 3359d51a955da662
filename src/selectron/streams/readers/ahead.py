"""Work ahead: what comes next is parsed in other threads, as long as somebody works on this."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

THREADS = 2

Item = TypeVar("Item")
Result = TypeVar("Result")


def ahead(function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Yield the result of each item in order; what the items raise is raised after those before it.

    The first one is computed by the caller's thread: it may have to be compiled, and it may be all.

    >>> list(ahead(abs, [-1, 2, -3]))
    [1, 2, 3]
    """
    source = iter(items)
    for item in islice(source, 1):
        yield function(item)
    waiting: deque[Future[Result]] = deque()
    fault = None
    with ThreadPoolExecutor(THREADS) as pool:
        try:
            while True:
                try:
                    waiting.append(pool.submit(function, next(source)))
                except StopIteration:
                    break
                except Exception as error:
                    fault = error
                    break
                if len(waiting) > THREADS:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    if fault is not None:
        raise fault
