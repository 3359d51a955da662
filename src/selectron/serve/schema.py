"""The tables of the store, as numbered migrations: what has been released is never changed."""

MIGRATIONS = (
    """
    CREATE TABLE streams (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, declared TEXT NOT NULL
    );
    CREATE TABLE log (
        seq INTEGER PRIMARY KEY, stream INTEGER NOT NULL, kind TEXT NOT NULL,
        item INTEGER NOT NULL, key TEXT, at REAL NOT NULL, who TEXT NOT NULL,
        body TEXT NOT NULL, seal INTEGER NOT NULL
    );
    CREATE UNIQUE INDEX log_by_key ON log (stream, key) WHERE key IS NOT NULL;
    CREATE INDEX log_by_item ON log (item, seq) WHERE kind <> 'item';
    CREATE INDEX log_of_answers ON log (stream, seq) WHERE kind = 'answer';
    CREATE TRIGGER log_keeps_entries BEFORE UPDATE ON log
        BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
    CREATE TRIGGER log_loses_nothing BEFORE DELETE ON log
        BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
    CREATE TABLE contents (
        item INTEGER PRIMARY KEY, stream INTEGER NOT NULL, at REAL NOT NULL,
        raw TEXT, features BLOB, seal INTEGER NOT NULL
    );
    CREATE TABLE replies (
        key TEXT PRIMARY KEY, digest TEXT NOT NULL, reply TEXT NOT NULL, at REAL NOT NULL,
        seal INTEGER NOT NULL
    );
    CREATE INDEX replies_by_age ON replies (at);
    CREATE TABLE tokens (
        name TEXT PRIMARY KEY, role TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, expires REAL
    );
    CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
    """,
    """
    UPDATE contents SET seal = migrated_seal(
        item, stream, at, CAST(raw AS BLOB), features, seal
    );
    ALTER TABLE streams ADD COLUMN seal INTEGER NOT NULL DEFAULT -1;
    UPDATE streams SET seal = record_seal(name, declared);
    ALTER TABLE tokens ADD COLUMN seal INTEGER NOT NULL DEFAULT -1;
    UPDATE tokens SET seal = record_seal(name, role, digest, expires);
    """,
)
