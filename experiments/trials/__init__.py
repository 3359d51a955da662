"""What the papers' experiments compute, piece by piece: a result is stored under its code."""
