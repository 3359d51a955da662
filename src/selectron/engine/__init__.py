"""The loop that plays rounds, the contracts of its parts, and how they are bound and compiled.

loop, parts           the loop, and the contracts of the parts that it calls
round, arithmetic     a round in scalars, and sums over vectors
rows                  blocks of rows
bind, machine         the loop with the functions of real parts, and its compiled form
parameters            checks of parameters
"""
