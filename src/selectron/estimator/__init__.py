"""The scikit-learn estimators.

classifier   `OnlineClassifier`
ranker       `OnlineRanker`, for rows of several classes
live         decisions on single rows, labels that come later, and corrections
rows         what they take as rows: arrays, dicts, and tables, which are encoded
checks       checks of rows, labels and weights
weights      weights of labels and of classes
parts        learners and askers of your own, tried before they are compiled
parameters   nested names and checks of parameters, and the model that they make
packing      a classifier as a header and arrays, for files
"""
