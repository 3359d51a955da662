"""Watching a desktop live: what comes in is predicted, what is asked reaches a person.

    home        the folder in which everything is kept
    watching    the loop: poll, predict, ask, tell
    asking      channels: how a question reaches a person, and how an answer comes back
    web, page/  a page on this computer, to answer, to declare, to create

The page needs the packages of `pip install selectron[serve]`.
"""
