"""`python -m selectron_desktop`."""

from .cli import main

main(prog_name="selectron-desktop")
