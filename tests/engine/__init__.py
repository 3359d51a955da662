"""The binder, and the cache of machine code."""
