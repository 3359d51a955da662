"""The labelling service: live streams over HTTP, a page to label them, and a log that keeps it all.

    strict                 strict JSON, and the errors of requests
    declaration            the TOML table that declares a stream
    event, store           the log, in SQLite
    learning               features and the model: state derived from the log
    question               questions and statistics: state derived from the log
    stream                 a stream as all of these, its snapshots, and how it starts again
    answering              leases, answers, corrections
    service, host          the streams of a folder, and the one thread that writes
    tokens, guard, requests
                           who may do what, and limits on clients
    reading, routes, app   HTTP
    demo, kafka, sending   where items come from, apart from other clients
    server                 the process

A ticket is the number of an item's log entry (`stream.decision`). The model's own ticket is in the
body of that entry, and what the model needs to learn the label is in `Learning.clf`.

An answer that is posted passes these: `routes.answer` checks the body; `requests.Call.write` makes
it a `Work`; `Host` queues it for the thread that writes; `Service.run` begins a transaction, in
which `answering.answer` decides whether it counts, `answering.learn` updates the model if a label
is settled, and `Stream.emit` appends the log entry. The reply is sent after the commit.

Requires `pip install '.[serve]'`. Of the rest, only the commands that need it import it.
"""
