"""LeadingHistory: ensembles of experts, with priors from all rows, that follow drift.

experts     how an ensemble predicts and learns: assumed-density filtering
posterior   posterior weights of the experts, their evidence, and the noise of labels and margins
state       the state on dense rows
renewal     scales, priors and Fourier features, from all rows so far
dense       two ensembles on dense rows, mixed; w and P of every expert
directions  the state on sparse rows, and their leading directions, from all rows so far
sparse      w and a variance of each weight, and leading directions with a matrix, on sparse rows
drift       drift alarms, from the evidence of the leading expert against older ones
"""
