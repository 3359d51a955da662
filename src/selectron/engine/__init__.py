"""The loop that plays rounds, the binder that compiles it, and the rows it plays on."""
