"""Sessions in documents, run in a folder: `$ command` in shell blocks, and `>>>` anywhere.

`python -m tests.documents docs/tutorials/csv.md` runs the sessions of a page, and writes what they
print into it.
"""

import contextlib
import doctest
import os
import re
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
END = "----- end of a command"
SPEED = re.compile(  # the last column of a table, which is as wide as its numbers
    r"^(.*\d%? +[\d,]+ +[\d,]+|learner .* steps|-+  .*-) +(?:[\d,]+|rows/s|-+)$", re.MULTILINE
)


def steps(block: str) -> list[tuple[str, str]]:
    """Return the commands of a block and their output; `> ` continues a command."""
    found: list[tuple[list[str], list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append(([line[2:]], []))
        elif line.startswith("> ") and not found[-1][1]:
            found[-1][0].append(line[2:])
        else:
            found[-1][1].append(line)
    return [("\n".join(command), "\n".join(output)) for command, output in found]


def run(commands: list[str], folder: Path) -> list[str]:
    """Return what each command prints on both channels, in one shell; jobs are ended with it."""
    path = os.pathsep.join(
        filter(None, [str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH")])
    )
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    env |= {"PYTHONPATH": path, "COLUMNS": "80", "MPLBACKEND": "agg"}
    script = [f"{command}\nprintf '\\n{END}\\n'" for command in commands]
    done = subprocess.run(
        ["sh", "-c", "\n".join([*script, "[ -z \"$!\" ] || kill $!; wait"])],
        cwd=folder, env=env, text=True, timeout=900,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return [output.strip("\n") for output in done.stdout.split(END)][:-1]


def same(expected: str, found: str) -> bool:
    """Return whether an output is as expected, where `fixed` keeps it; `...` is any text."""
    pattern = re.escape(fixed(expected)).replace(r"\.\.\.", ".*?")
    return re.fullmatch(pattern, fixed(found), re.DOTALL) is not None


def fixed(output: str) -> str:
    """Return an output without speeds, and without digits beyond the eighth decimal place.

    The last digits of what linear algebra computes differ from processor to processor.
    """
    return re.sub(r"(\.\d{8})\d+", r"\1", SPEED.sub(r"\1", output))


def write_data(folder: Path) -> None:
    """Write the files that the tutorials use into a folder."""
    for script in "tickets", "mail":
        runpy.run_path(str(ROOT / "docs" / "tutorials" / f"{script}.py"))["main"](folder)


def play(text: str, folder: Path) -> list[tuple[str, str, str]]:
    """Run all sessions of a page; return each command, its output in the page, and that of now."""
    blocks = [step for block in BLOCK.findall(text) for step in steps(block)]
    found = run([command for command, _ in blocks], folder)
    return [(*block, output) for block, output in zip(blocks, found, strict=True)]


class Kept(doctest.DocTestRunner):
    """A runner that keeps what failing examples print."""

    def __init__(self) -> None:
        super().__init__(verbose=False)
        self.got: dict[int, str] = {}

    def report_failure(self, out, test, example, got):
        """Keep it, under the line of the example."""
        self.got[example.lineno] = got

    def report_unexpected_exception(self, out, test, example, exc_info):
        """Raise it."""
        raise exc_info[1]


def examples(text: str, name: str) -> doctest.DocTest:
    """Return the Python sessions of a page; the fences of blocks end their output."""
    plain = re.sub(r"^```.*$", "", text, flags=re.MULTILINE)
    return doctest.DocTestParser().get_doctest(plain, {"__name__": "__main__"}, name, name, 0)


def differences(text: str, name: str, folder: Path) -> dict[int, str]:
    """Run the Python sessions of a page; return what those print that print something else."""
    runner = Kept()
    with contextlib.chdir(folder):
        runner.run(examples(text, name), out=lambda _: None)
    return runner.got


def main(page: Path) -> None:
    """Write the output of now into a page, where the old one differs."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        write_data(Path(folder))
        played = iter(play(text, Path(folder)))
        found = differences(text, page.name, Path(folder))
    lines = text.splitlines()
    for example in reversed(examples(text, page.name).examples):
        if (got := found.get(example.lineno)) is not None:
            start = example.lineno + example.source.count("\n")
            stop = start + example.want.count("\n")
            indent = " " * example.indent
            lines[start:stop] = [indent + line for line in got.splitlines()]
    text = "\n".join(lines) + "\n"

    def renewed(block: re.Match) -> str:
        lines = []
        for command, _ in steps(block[1]):
            _, old, now = next(played)
            lines.append("$ " + command.replace("\n", "\n> "))
            lines += [old if same(old, now) else now] if now or old else []
        return "```console\n" + "\n".join(lines) + "\n```"

    page.write_text(BLOCK.sub(renewed, text), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
