"""Tables in Markdown."""

from collections.abc import Iterable, Sequence

failures: list[str] = []  # rows that could not be measured


def show(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table, each row as soon as it is measured.

    If a program to compare with is missing or fails, the table and `failures` state it.
    """
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    try:
        for row in rows:
            print(f"| {' | '.join(row)} |", flush=True)
    except Exception as error:
        failures.append(f"{head[0]}: {type(error).__name__}: {error}")
        print(f"| FAILED | - | {failures[-1]} |", flush=True)
    print()
