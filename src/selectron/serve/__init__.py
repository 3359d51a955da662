"""The labelling service: live streams over HTTP, a page to label them, and a log that keeps it all.

    strict, problem       what comes in, and what is said where it will not do
    declaration, features what a stream is, and what the model sees of an item
    event, store, schema  the log, in SQLite
    learning              the model: state derived from the log
    question, tally       what is asked, and what is known: state derived from the log
    stream, snapshots     a stream as all of these, and how it starts again
    writer                the one thread that changes anything
    routes/, app          HTTP

Needs the packages of `pip install selectron[serve]`. The core imports nothing of this.
"""
