"""Experiments: what the libraries are measured by. No part of any distribution."""
