"""Lives in child processes that are killed: what the programs that test for crashes share."""

import os
import signal
import traceback


def killed(life, points, names, rng, times, lines):
    """Have a child live and die, and return what it told of, as bytes.

    `life(tell)` goes on until the child is killed: when it reaches one of the points in `names` for
    the n-th time, n at most `times`; or, at no point in particular, once it has told so many
    `lines`. A child is forked, so that Numba's code is loaded once.
    """
    point = rng.choice((*names, None))
    read, write = os.pipe()
    child = os.fork()
    if not child:
        _doomed(life, points, point, rng.randint(1, times), write)
    os.close(write)
    with os.fdopen(read, "rb") as told:
        found = b""
        if point is None:
            found = b"".join(told.readline() for _ in range(rng.randint(0, lines)))
            os.kill(child, signal.SIGKILL)
        found += told.read()
    os.waitpid(child, 0)
    return found


def _doomed(life, points, point, count, pipe):
    """Live until a point is reached for so many times, or until the end of life."""
    left = [count]

    def reached(name):
        left[0] -= name == point
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)

    points.reached = reached
    try:
        life(lambda text: os.write(pipe, f"{text}\n".encode()))
    except BaseException:
        traceback.print_exc()
    finally:
        os.kill(os.getpid(), signal.SIGKILL)  # a child must never go on as its parent would
