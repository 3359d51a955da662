"""The scikit-learn estimators: `OnlineClassifier`, and `OnlineRanker` for several classes a row."""
