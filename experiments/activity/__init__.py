"""The activity predictor on made-up desktops: logs, the paper's protocol, and its batch method."""
