"""The model: state, draws and tickets, without anything of scikit-learn.

model     what is learned, and rounds on it
compose   which compiled loop a learner, an asker and a space make
run       the record of a run
draws     one uniform a round
support   room for stored examples, and for the state as a whole
storage   files of parts and arrays; never code
"""

from .model import Model as Model
