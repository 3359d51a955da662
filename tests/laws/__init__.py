"""The laws that hold for every learner under every asker in every space."""
