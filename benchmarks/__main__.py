"""Print all figures as Markdown tables; fail if one could not be measured."""

import sys

from benchmarks.activity import activity
from benchmarks.activity_memory import activity_memory
from benchmarks.cores import cores
from benchmarks.encoding import encoding
from benchmarks.files import files
from benchmarks.growth import growth, growth_in_memory
from benchmarks.many import many
from benchmarks.passes import decisions, passes
from benchmarks.processes import memory, starts
from benchmarks.projections import projections
from benchmarks.retraining import retraining
from benchmarks.rounds import rounds
from benchmarks.second import second
from benchmarks.serve import rows
from benchmarks.tables import failures, show
from benchmarks.text import text


def main() -> None:
    """Measure and print, table by table."""
    print("Ratios are of times, measured in turn: median (quartiles).\n")
    show(("Perceptron, one pass", "ratio", "speeds"), passes())
    show(("Second order, one pass", "ratio", "speeds"), second())
    show(("Decisions whether to ask", "ratio", "speeds"), decisions())
    show(("One round", "median", "tail"), rounds())
    show(("From a file to decisions", "ratio", "speeds"), files())
    show(("Tables of mixed columns", "best of 5", "rows"), encoding(1_000_000))
    show(("Many classes, one epoch", "theirs / ours", "theirs and ours"), many())
    show(("Text, in dual form", "time", "memory"), text())
    show(("Steps in an L1 ball", "theirs / ours", "times"), projections())
    show(("Two cores", "speedup", "times"), cores())
    show(("As the work grows", "time", "growth"), growth())
    show(("Memory kept as the work grows", "memory", "growth"), growth_in_memory())
    show(("Memory", "growth", "peaks"), memory())
    show(("Start", "median of 5", "range"), starts())
    show(("Activities, a log of four months", "figure", "more"), activity())
    show(("Activities: memory", "in memory", "saved"), activity_memory())
    show(("Milliseconds an instance", "online", "LinearSVC", "LIBSVM"), retraining())
    show(("The labelling service, client included", "figure", "more"), rows(100_000))
    if failures:
        sys.exit("Not measured:\n" + "\n".join(failures))


main()
