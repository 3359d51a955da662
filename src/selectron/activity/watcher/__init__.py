"""What ActivityWatch has seen, as a clean stream of events: the way in, and the way back.

    raw                    an event as a watcher sent it, whichever server kept it
    titles, naming         what of a title is kept; what the resource in front is called
    layers, joining        streams without overlaps, joined into one
    export, server         from an exported file, or by REST
    feed                   what is final of a server's newest events
    telling                predictions and answers, back into buckets of their own

Reading from a server needs `pip install selectron[activity]`.
"""
