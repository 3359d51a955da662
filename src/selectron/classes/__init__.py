"""Reductions: how the labels of two or of many classes become margins and steps.

`binary` is for two classes. The others stack what the space keeps of one vector, an array of them
for each array (`stack.py`), so that every learner has them in every space.
"""
