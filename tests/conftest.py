"""Settings of all tests."""

from hypothesis import settings

# the first example of a test may compile, or find the machine busy: no time limit an example
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
