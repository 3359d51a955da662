"""Sweeps on Dask: the same table, also if a worker dies; shared arguments are sent once."""

import os
import signal
import time
from contextlib import contextmanager

import numpy as np
import pytest

from selectron.askers import Margin
from selectron.evaluate.each import each
from selectron.evaluate.sweep import sweep
from selectron.learners import PassiveAggressive, Perceptron
from selectron.streams import switching_gaussian

distributed = pytest.importorskip("distributed", reason="distributed is not installed")
pytestmark = pytest.mark.slow


@contextmanager
def cluster_of(workers):
    """Return the client of a new cluster."""
    given = {"dashboard_address": "127.0.0.1:0", "host": "127.0.0.1"}
    with (
        distributed.LocalCluster(n_workers=workers, threads_per_worker=1, **given) as cluster,
        distributed.Client(cluster) as one,
    ):
        yield one


@pytest.fixture(scope="module")
def client():
    with cluster_of(2) as one:
        yield one


class Large:
    """A table that counts, in the process that sends it, how often it is pickled."""

    sent = 0

    def __init__(self, values):
        self.values = values

    def __reduce__(self):
        Large.sent += 1
        return Large, (self.values,)


def total(table, factor):
    return float(table.values.sum() * factor)


def process(number, folder):
    """Return a result; the first process that comes here dies, once."""
    path = os.path.join(folder, "died")
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return number
    time.sleep(0.2)
    os.kill(os.getpid(), signal.SIGKILL)
    return -1


def test_a_sweep_is_the_same_as_in_one_process(client, tmp_path):
    X, y = switching_gaussian(400, d=5, seed=0)
    parts = [Perceptron(), PassiveAggressive()], [Margin(0.1)], range(3)
    alone = sweep(X, y, *parts)
    assert sweep(X, y, *parts, executor=client, store=tmp_path).equals(alone)
    assert len(list(tmp_path.iterdir())) == 6
    assert sweep(X, y, *parts, executor=client, store=tmp_path).equals(alone)


def test_shared_arguments_are_sent_once_and_not_with_every_call(client):
    Large.sent, values = 0, np.arange(1000.0)
    calls = [{"factor": i} for i in range(40)]
    found = each(total, calls, shared={"table": Large(values)}, executor=client)
    assert found == [values.sum() * i for i in range(40)]
    assert Large.sent < 5


def test_a_worker_that_dies_costs_no_result(client, tmp_path):
    calls = [{"number": i} for i in range(20)]
    shared = {"folder": str(tmp_path)}
    assert each(process, calls, shared=shared, executor=client) == list(range(20))
    assert (tmp_path / "died").exists()


def test_shared_arguments_that_died_with_the_only_worker_are_sent_again(tmp_path):
    calls = [{"number": i} for i in range(5)]
    with cluster_of(1) as one:
        found = each(process, calls, shared={"folder": str(tmp_path)}, executor=one)
    assert found == list(range(5))
    assert (tmp_path / "died").exists()
