"""The routes under /v1: what is taken in, what is asked and answered, what is read."""
