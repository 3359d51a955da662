"""The draws of a key, as a generator: for models and classifiers that play its rows alone."""

import numpy as np

from selectron.model.keyed import start_of


def generator_of(random_state, key):
    """Return the generator of the draws of a key."""
    bits = np.random.PCG64()
    bits.state = start_of(random_state, key)
    return np.random.Generator(bits)
