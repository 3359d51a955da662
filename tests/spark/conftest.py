"""A Spark session for batches, and labels for it."""

import pytest

from .needs import missing

from .job import SETTINGS  # isort: skip


@pytest.fixture(scope="session")
def session():
    if missing():
        pytest.skip(missing())
    from selectron import spark

    made = spark.session("local[2]", **SETTINGS)
    made.sparkContext.setLogLevel("OFF")
    yield made
    made.stop()
