"""Which project is one working on? The large-margin paper's activity predictor, on today's desktop.

Shen and Dietterich, "A Family of Large Margin Linear Classifiers and Its Application in Dynamic
Environments", SDM 2009, section 5.
"""
