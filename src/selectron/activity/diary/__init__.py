"""What happened, kept: nothing that was said is lost, and nothing is asked twice.

journal     an append-only log in SQLite; any process may write to it
names       the activities that there are, as the log tells
points      where a test puts an end to the process
session     the predictor, derived from the log, and in step with it
snapshots   the predictor as it was at an entry, so that it need not start from the first
"""
