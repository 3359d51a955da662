"""The model: state, draws and tickets, without anything of scikit-learn.

model         the state, and rounds on it
compose       the compiled loop for a learner, an asker and a space
live          rounds one at a time, labels that come later, and answers that are corrected
weighting     weights of labels
calibration   probabilities of the classes
widths        rows that grow wider, and narrow sparse rows
run, metrics  the record of a run, and what is computed from it
draws         one uniform a round
support       kernels, examples, memory, and why rows and tickets are refused
keyed         a small model for each key, and its bytes
"""

from .model import Model as Model
