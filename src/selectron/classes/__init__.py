"""How the labels of two or of many classes become margins and steps.

Two classes share one vector: `engine.loop.Classes`. More of them stack the arrays that the space
keeps of one vector (`stack.py`), which works with every learner in every space.
"""
