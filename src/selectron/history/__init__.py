"""LeadingHistory: an ensemble of experts that learns how long concepts last.

experts     how the ensemble predicts and learns: expectation propagation
posterior   posterior weights of the experts, and the noise of labels and of margins
hazard      hazard models: when concepts end
scaling     feature scales, on dense rows
prior       the empirical prior that former leaders hand down, on dense rows
dense       w and P of every expert on dense rows
sparse      w and a variance of each weight, on sparse rows
drift       drift alarms, from the ages of the leading expert
"""
