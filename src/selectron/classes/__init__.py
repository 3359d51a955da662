"""How the labels of two or of many classes become margins and steps.

`binary` is for two classes. The others stack the arrays that the space keeps of one vector
(`stack.py`), so that they work with every learner in every space.
"""
