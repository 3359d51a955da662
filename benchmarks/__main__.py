"""Print all figures as Markdown tables."""

from benchmarks.many import many
from benchmarks.passes import passes
from benchmarks.processes import memory, starts
from benchmarks.projections import projections
from benchmarks.rounds import rounds
from benchmarks.serve import rows
from benchmarks.tables import show
from benchmarks.text import text


def main() -> None:
    """Measure and print, table by table."""
    print("Ratios of times are ours / theirs, taken in turn: median (quartiles).\n")
    show(("Pass", "ratio", "speeds"), passes())
    show(("One round", "median", "tail"), rounds())
    show(("Many classes, one epoch", "theirs / ours", "theirs and ours"), many())
    show(("Text, in dual form", "time", "memory"), text())
    show(("Steps in an L1 ball", "theirs / ours", "times"), projections())
    show(("Memory", "growth", "peaks"), memory())
    show(("Start", "median of 5", "range"), starts())
    show(("The labelling service, client included", "figure", "more"), rows(100_000))


main()
