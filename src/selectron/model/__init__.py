"""The model: state, draws and tickets, without anything of scikit-learn.

model     the state, and rounds on it
compose   the compiled loop for a learner, an asker and a space
live      rounds one at a time, and answers that are corrected
weighting weights of labels
run       the record of a run
draws     one uniform a round
support   kernels, examples, memory, and why rows and tickets are refused
"""

from .model import Model as Model
