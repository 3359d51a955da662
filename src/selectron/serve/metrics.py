"""Figures for Prometheus."""

from collections.abc import Iterable
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from .host import Host

COUNTERS = {
    "items": "Items taken in",
    "asked": "Items whose label was asked for",
    "answered": "Questions answered",
    "skipped": "Questions skipped",
    "late": "Answers that came late",
    "retired": "Questions given up",
    "damaged": "Items set aside because what is stored of them is damaged",
    "version": "Labels learned",
}


class Figures:
    """What is collected of a host, when somebody looks."""

    def __init__(self, host: Host):
        self.host = host

    def collect(self) -> Iterable[Metric]:
        """Yield the figures."""
        views = self.host.views
        for name, what in COUNTERS.items():
            yield filled(
                CounterMetricFamily(f"selectron_{name}", what, labels=["stream"]), views, name
            )
        queue = GaugeMetricFamily("selectron_queue", "Questions that wait", labels=["stream"])
        yield filled(queue, views, "queue")
        what = "Honest accuracy of the items answered lately, and its 95% interval"
        accuracy = GaugeMetricFamily("selectron_accuracy", what, labels=["stream", "bound"])
        for stream, view in views.items():
            for bound, value in view["accuracy"]["recent"].items():
                if value is not None:
                    accuracy.add_metric([stream, bound], value)
        yield accuracy
        failing = "1 if the store cannot be written"
        yield GaugeMetricFamily("selectron_failing", failing, value=float(self.host.failing))
        broken = "1 if an entry of the log, or a reply, is damaged"
        yield GaugeMetricFamily("selectron_broken", broken, value=float(self.host.broken))


def filled(family: Any, views: dict[str, dict[str, Any]], name: str) -> Metric:
    """Return a family with one value for each stream."""
    for stream, view in views.items():
        family.add_metric([stream], view[name])
    return family


def written(host: Host) -> bytes:
    """Return all figures as text."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Figures(host))
    return generate_latest(registry)
