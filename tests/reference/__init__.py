"""The papers' pseudo-code, and the library against it."""
