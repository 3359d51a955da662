"""LeadingHistory: an ensemble of experts that learns how long concepts last.

experts     how the ensemble predicts and learns: expectation propagation
posterior   posterior weights of the experts, births, and the rate of wrong labels
hazard      when concepts end
noise       how noisy margins are
scaling     feature scales, on dense rows
prior       the empirical prior that former leaders hand down to new experts
dense       w and P of every expert on dense rows, and `sparse` on sparse ones
drift       drift alarms, from the ages of the leading expert
vectors     what `experts` expects of these two
"""
