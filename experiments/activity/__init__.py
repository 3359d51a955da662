"""The activity predictor on generated logs, the paper's protocol, and its batch method."""
