"""LeadingHistory: ensembles of experts, with priors from all rows, that follow drift.

experts     how an ensemble predicts and learns: assumed-density filtering
vectors     w and P of every expert: its margin, its step, its prior
posterior   posterior weights of the experts, their evidence, and the noise of labels and margins
dense       two ensembles on dense rows, mixed
state       the state on dense rows
renewal     scales, coordinates and priors of dense rows, from all rows so far
fourier     random Fourier features
sparse      the ensemble on sparse rows
directions  the state on sparse rows, and their leading directions, from all rows so far
units       the means and units of the features of sparse rows
conversion  what experts have learned, brought to new coordinates and priors
drift       drift alarms, from the evidence of the leading expert against older ones
"""
