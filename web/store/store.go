// Package store keeps sessions, runs, the events of runs, and texts by content
// hash, behind one interface.
//
// The packages below web may import it. It must not know HTTP, passes or how runs
// are scheduled; it imports of ours only the event format. Memory is the
// implementation without durability; package sqlite below is the durable one, and
// package storetest holds the tests that both pass.
package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrNotFound says that nothing is stored under an id or a hash, or that it has
// expired: the two are not told apart.
var ErrNotFound = errors.New("not found")

// ErrFull says that there is no room, even after old runs were dropped.
var ErrFull = errors.New("storage is full")

// ErrShared says that a session was shared, and what is shared does not change.
var ErrShared = errors.New("the session is shared and cannot be changed")

// ErrQuota says that one visitor or one session has as much as it may have; the
// error around it says of what.
var ErrQuota = errors.New("quota reached")

// ErrDamaged says that what is stored is not what was stored: a disk or a program has changed it.
var ErrDamaged = errors.New("the stored data is damaged")

// Damage says from which event on the log of a run is damaged. What is before it is good.
type Damage struct {
	Good int // number of the first event that is lost
	Err  error
}

// Error implements error.
func (d *Damage) Error() string {
	return fmt.Sprintf("the log is damaged from event %d on: %v", d.Good, d.Err)
}

// Unwrap returns what is wrong, and that it is damage.
func (d *Damage) Unwrap() []error { return []error{ErrDamaged, d.Err} }

// Store keeps what irscope knows. All methods may be called by several
// goroutines. Byte slices that are handed over or returned are not written again
// by either side. Where an implementation is durable, what a method did is on disk
// when it returns, except where it says otherwise.
type Store interface {
	// PutBlob keeps data under its hash (event.HashText) for as long as its owner, a
	// run or a session, is kept. The language names how a text is highlighted;
	// it is LangBinary for data that is no text. Keeping the same data twice is cheap.
	PutBlob(ctx context.Context, owner, language string, data []byte) (hash string, err error)
	// KeepBlob makes an owner keep blobs that are already there, or none of them and
	// returns ErrNotFound. It is on disk when the next thing that the owner stores is.
	KeepBlob(ctx context.Context, owner string, hashes ...string) error
	// Blob returns a blob.
	Blob(ctx context.Context, hash string) (Blob, error)

	// CreateSession stores a new session with its settings, runs and notes. One token
	// may have MaxSessions of them, else ErrQuota.
	CreateSession(ctx context.Context, s Session) error
	// Session returns a session with its runs and notes in the order in which they
	// were added, and the ids of its children.
	Session(ctx context.Context, id string) (Session, error)
	// Sessions returns the sessions of a token, newest first, without their settings,
	// runs, notes and children.
	Sessions(ctx context.Context, token [32]byte) ([]Session, error)
	// AddRun notes that a session shows a run; adding it twice changes nothing. Of more
	// than MaxRuns the oldest are forgotten. This and all other changes of what a session
	// shows return ErrShared once it is shared.
	AddRun(ctx context.Context, session, run string) error
	// SaveSettings replaces the settings of a session, as JSON.
	SaveSettings(ctx context.Context, session string, settings []byte) error
	// SaveTitle replaces the title of a session.
	SaveTitle(ctx context.Context, session, title string) error
	// PutNote adds a note to a session, or replaces the one with its id.
	PutNote(ctx context.Context, session string, n Note) error
	// DeleteNote takes a note off a session; one that is not there is ErrNotFound.
	DeleteNote(ctx context.Context, session, note string) error
	// ShareSession makes a session immutable and takes its expiry off. Its runs are not
	// dropped to make room.
	ShareSession(ctx context.Context, id string) error
	// SetExpiry says when a session expires; the zero time is never.
	SetExpiry(ctx context.Context, id string, t time.Time) error
	// DeleteSession deletes a session, also a shared one. Its runs stay until Expire.
	DeleteSession(ctx context.Context, id string) error

	// PutClass stores a class, or replaces the one with its id. There may be MaxClasses of them, else ErrQuota.
	PutClass(ctx context.Context, c Class) error
	// Classes returns the classes that have not expired, by id.
	Classes(ctx context.Context) ([]Class, error)
	// DeleteClass deletes a class; one that is not there is ErrNotFound.
	DeleteClass(ctx context.Context, id string) error

	// CreateRun stores a new run without events.
	CreateRun(ctx context.Context, r Run) error
	// Run returns a run.
	Run(ctx context.Context, id string) (Run, error)
	// RunByKey returns the run that finished last with this key and may be shared.
	RunByKey(ctx context.Context, key string) (Run, error)
	// Unfinished returns the runs that have not finished, oldest first.
	Unfinished(ctx context.Context) ([]Run, error)
	// AppendEvents makes a run keep texts and appends encoded events to it, both or
	// neither; from is the number of the first event and must be the number of events
	// stored so far.
	AppendEvents(ctx context.Context, run string, from int, lines [][]byte, texts ...Text) error
	// Events returns the encoded events of a run from a number on. Where the log is damaged, it returns those
	// before that and a *Damage.
	Events(ctx context.Context, run string, from int) ([][]byte, error)
	// FinishRun stores how a run ended. Where reusable is true, RunByKey finds it.
	// No events may be appended afterwards, and a run finishes once.
	FinishRun(ctx context.Context, r Run, reusable bool) error

	// PutReport keeps the report of a check of a run with the run, in place of the one before; it has at most MaxReport bytes.
	PutReport(ctx context.Context, run string, data []byte) error
	// Report returns the report that is kept with a run.
	Report(ctx context.Context, run string) ([]byte, error)

	// Expire removes the classes and sessions whose time has come, and runs that finished and that no
	// session has listed for OrphanTime; it returns how many of the last two.
	Expire(ctx context.Context, now time.Time) (sessions, runs int, err error)
}

// MaxReport is the most that a report may have, in bytes.
const MaxReport = 4 << 20

// CheckReport returns an error for a report that is too large to be kept.
func CheckReport(data []byte) error {
	if len(data) > MaxReport {
		return fmt.Errorf("the report has %d bytes, at most %d are kept", len(data), MaxReport)
	}
	return nil
}

// LangBinary is the language of a blob that is no text, such as a model.
const LangBinary = "binary"

// OrphanTime is the age from which a run that no session lists is removed.
const OrphanTime = 24 * time.Hour

// Blob is a stored text or file.
type Blob struct {
	Language string
	Data     []byte
}

// Text is a blob that is stored with events which name it.
type Text struct {
	// Hash is that of the data.
	Hash     string
	Language string
	Data     []byte
	// Base is the hash of a text that this one is probably much alike, such as the same
	// function before the pass; empty where there is none. It need not be stored.
	Base string
}

// Session is a source with its settings and the runs made from it.
type Session struct {
	// ID is unguessable; whoever knows it may read.
	ID string
	// TokenHash is the SHA-256 of the edit token.
	TokenHash [32]byte
	Title     string
	Source    Source
	// Lesson names the lesson that the session is about; empty for none.
	Lesson  string
	Created time.Time
	// Settings are those of the latest run as JSON; empty before the first.
	Settings []byte
	Runs     []string
	// Parent is the session that this one was forked from; empty for none. The
	// parent may have expired.
	Parent string
	// Children are the sessions forked from this one, oldest first. Who may read the
	// parent may not yet know them: show those that are shared, and the visitor's own.
	Children []string
	// Shared sessions are immutable.
	Shared bool
	// Expires is when the session goes; zero is never.
	Expires time.Time
	Notes   []Note
}

// Expired tells whether the time of a session has come.
func (s Session) Expired(now time.Time) bool { return !s.Expires.IsZero() && !now.Before(s.Expires) }

// Note is a remark of a person on a line of a text of a run.
type Note struct {
	// ID tells the notes of a session apart.
	ID string `json:"id"`
	// Run, Step and Function say where it is pinned; what is empty is not said.
	Run      string `json:"run,omitempty"`
	Step     string `json:"step,omitempty"`
	Function string `json:"function,omitempty"`
	// Line counts from 1; 0 is the whole text.
	Line    int       `json:"line,omitempty"`
	Text    string    `json:"text"`
	Created time.Time `json:"created"`
}

// Source says where a module comes from.
type Source struct {
	// Kind is "gallery", "upload", "tvmscript" or "dump".
	Kind string `json:"kind"`
	// Name is the name of the gallery model, or of the file.
	Name string `json:"name"`
	// Blob is the hash of the file or text; empty for the gallery and for dumps.
	Blob string `json:"blob,omitempty"`
}

// The kinds of sources.
const (
	SourceGallery = "gallery"
	SourceUpload  = "upload"
	// SourceScript is a text of TVMScript that was typed, pasted or uploaded.
	SourceScript = "tvmscript"
	// SourceDump is what another compiler printed. It is not kept: the run has all of it that can be shown.
	SourceDump = "dump"
)

// Run is one run of the compiler.
type Run struct {
	ID string
	// Key is the hash of all that determines the bodies of its events.
	Key string
	// Request is the request as JSON.
	Request []byte
	Created time.Time
	// Status is empty until the run has finished; then it is an event.Status.
	Status string
	// Hash is that of the finished log.
	Hash string
	// Events counts the events.
	Events int
}
