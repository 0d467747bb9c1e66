package sqlite

import (
	"context"
	"database/sql"
	"fmt"
)

// applicationID marks our files ("IRSC"), so that no other program's file is taken for one.
const applicationID = 0x49525343

// migrations returns the steps from an empty file to the schema of this program. A file's
// user_version counts the steps that were done; a step that was released never changes.
func migrations() []string {
	return []string{`
CREATE TABLE session (
	n           INTEGER PRIMARY KEY,
	id          TEXT NOT NULL UNIQUE,
	token       BLOB NOT NULL,
	title       TEXT NOT NULL,
	source_kind TEXT NOT NULL,
	source_name TEXT NOT NULL,
	source_blob TEXT NOT NULL,
	settings    BLOB NOT NULL,
	parent      TEXT NOT NULL,
	created     INTEGER NOT NULL, -- nanoseconds since 1970; 0 is no time, here and below
	expires     INTEGER NOT NULL,
	shared      INTEGER NOT NULL
) STRICT;
CREATE INDEX session_by_token ON session(token);
CREATE INDEX session_by_parent ON session(parent) WHERE parent <> '';
CREATE INDEX session_by_expiry ON session(expires) WHERE expires > 0;

CREATE TABLE session_run ( -- a run may be gone that a session lists
	n       INTEGER PRIMARY KEY,
	session INTEGER NOT NULL REFERENCES session(n) ON DELETE CASCADE,
	run     TEXT NOT NULL,
	UNIQUE (session, run)
) STRICT;
CREATE INDEX session_run_by_run ON session_run(run);

CREATE TABLE note (
	n        INTEGER PRIMARY KEY,
	session  INTEGER NOT NULL REFERENCES session(n) ON DELETE CASCADE,
	id       TEXT NOT NULL,
	run      TEXT NOT NULL,
	step     TEXT NOT NULL,
	function TEXT NOT NULL,
	line     INTEGER NOT NULL,
	text     TEXT NOT NULL,
	created  INTEGER NOT NULL,
	UNIQUE (session, id)
) STRICT;

CREATE TABLE run (
	n        INTEGER PRIMARY KEY,
	id       TEXT NOT NULL UNIQUE,
	key      TEXT NOT NULL,
	request  BLOB NOT NULL,
	created  INTEGER NOT NULL,
	status   TEXT NOT NULL, -- empty until the run has finished
	hash     TEXT NOT NULL,
	events   INTEGER NOT NULL,
	reusable INTEGER NOT NULL
) STRICT;
CREATE INDEX run_by_key ON run(key) WHERE reusable = 1;
CREATE INDEX run_unfinished ON run(n) WHERE status = '';

CREATE TABLE event ( -- events that were appended together, as one zstd frame
	n     INTEGER PRIMARY KEY,
	run   INTEGER NOT NULL REFERENCES run(n) ON DELETE CASCADE,
	first INTEGER NOT NULL,
	count INTEGER NOT NULL,
	data  BLOB NOT NULL,
	UNIQUE (run, first)
) STRICT;

CREATE TABLE blob (
	n        INTEGER PRIMARY KEY,
	hash     BLOB NOT NULL UNIQUE,
	language TEXT NOT NULL,
	size     INTEGER NOT NULL,
	base     INTEGER REFERENCES blob(n), -- the dictionary of data
	depth    INTEGER NOT NULL,           -- how many bases it takes to read it
	data     BLOB NOT NULL               -- a zstd frame
) STRICT;
CREATE INDEX blob_by_base ON blob(base) WHERE base IS NOT NULL;

CREATE TABLE run_blob (
	owner INTEGER NOT NULL REFERENCES run(n) ON DELETE CASCADE,
	blob  INTEGER NOT NULL REFERENCES blob(n),
	PRIMARY KEY (owner, blob)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_blob_by_blob ON run_blob(blob);

CREATE TABLE session_blob (
	owner INTEGER NOT NULL REFERENCES session(n) ON DELETE CASCADE,
	blob  INTEGER NOT NULL REFERENCES blob(n),
	PRIMARY KEY (owner, blob)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_blob_by_blob ON session_blob(blob);
`, `
-- Checksums of the rows; NULL where a row is older than they are.
ALTER TABLE session ADD COLUMN sum BLOB;
ALTER TABLE note ADD COLUMN sum BLOB;
`, `
CREATE TABLE class (
	n       INTEGER PRIMARY KEY,
	id      TEXT NOT NULL UNIQUE,
	expires INTEGER NOT NULL,
	data    BLOB NOT NULL,
	sum     BLOB NOT NULL
) STRICT;
`, `
ALTER TABLE session ADD COLUMN lesson TEXT NOT NULL DEFAULT '';
`, `
CREATE TABLE report ( -- of a check of a run
	run  INTEGER PRIMARY KEY REFERENCES run(n) ON DELETE CASCADE,
	data BLOB NOT NULL,
	sum  BLOB NOT NULL
) STRICT;
`}
}

// identify tells whether a file is new, and checks that it is ours and not newer than this program. It
// writes nothing.
func identify(ctx context.Context, conn *sql.Conn, steps int) (version int, err error) {
	var app, things int
	for query, dest := range map[string]*int{
		"PRAGMA application_id": &app, "PRAGMA user_version": &version, "SELECT count(*) FROM sqlite_schema": &things,
	} {
		if err := conn.QueryRowContext(ctx, query).Scan(dest); err != nil {
			return 0, fmt.Errorf("read the header: %w", err)
		}
	}
	switch {
	case app == 0 && version == 0 && things == 0:
		return 0, nil
	case app != applicationID:
		return 0, fmt.Errorf("it is the database of another program (application id %#x, want %#x): name another folder", app, applicationID)
	case version > steps:
		return 0, fmt.Errorf("it was written by a newer version of this program (schema %d, this one knows %d): use that version or name another folder", version, steps)
	case version < 1:
		return 0, fmt.Errorf("its schema has number %d, want 1 to %d: the file is damaged", version, steps)
	}
	return version, nil
}

// migrate does the steps that a file of a version lacks, each in a transaction.
func migrate(ctx context.Context, conn *sql.Conn, version int, steps []string) error {
	for i := version; i < len(steps); i++ {
		step := fmt.Sprintf("BEGIN IMMEDIATE;%s;PRAGMA application_id = %d;PRAGMA user_version = %d;COMMIT", steps[i], applicationID, i+1)
		if _, err := conn.ExecContext(ctx, step); err != nil {
			_, _ = conn.ExecContext(ctx, "ROLLBACK")
			return fmt.Errorf("bring the schema from %d to %d: %w", i, i+1, err)
		}
	}
	return nil
}
