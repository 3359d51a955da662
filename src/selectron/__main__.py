"""`python -m selectron`."""

from .cli import main

main(prog_name="selectron")
