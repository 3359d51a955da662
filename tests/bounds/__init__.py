"""Runs on random streams, held against the papers' theorems."""
