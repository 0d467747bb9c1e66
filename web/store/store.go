// Package store keeps sessions, runs, the events of runs, and texts by content
// hash, behind one interface.
//
// The packages below web may import it. It must not know HTTP, passes or how runs
// are scheduled; it imports of ours only the event format. Memory is the
// implementation without durability; a database takes its place behind the same
// interface and the same conformance tests.
package store

import (
	"context"
	"errors"
	"time"
)

// ErrNotFound says that nothing is stored under an id or a hash, or that it has
// expired: the two are not told apart.
var ErrNotFound = errors.New("not found")

// ErrFull says that there is no room, even after old runs were dropped.
var ErrFull = errors.New("storage is full")

// Store keeps what the explorer knows. All methods may be called by several
// goroutines. Byte slices that are handed over or returned are not written again
// by either side.
type Store interface {
	// PutBlob keeps data under its hash (event.HashText) for as long as its owner, a
	// run or a session, is kept. The language names how a text is highlighted;
	// it is LangBinary for data that is no text. Keeping the same data twice is cheap.
	PutBlob(ctx context.Context, owner, language string, data []byte) (hash string, err error)
	// KeepBlob makes an owner keep a blob that is already there, or returns ErrNotFound.
	KeepBlob(ctx context.Context, owner, hash string) error
	// Blob returns a blob.
	Blob(ctx context.Context, hash string) (Blob, error)

	// CreateSession stores a new session.
	CreateSession(ctx context.Context, s Session) error
	// Session returns a session with its runs in the order in which they were added.
	Session(ctx context.Context, id string) (Session, error)
	// AddRun notes that a session shows a run; adding it twice changes nothing.
	AddRun(ctx context.Context, session, run string) error
	// SaveSettings replaces the settings of a session, as JSON.
	SaveSettings(ctx context.Context, session string, settings []byte) error

	// CreateRun stores a new run without events.
	CreateRun(ctx context.Context, r Run) error
	// Run returns a run.
	Run(ctx context.Context, id string) (Run, error)
	// RunByKey returns the run that finished with this key and may be shared.
	RunByKey(ctx context.Context, key string) (Run, error)
	// AppendEvents appends encoded events; from is the number of the first and must
	// be the number of events stored so far.
	AppendEvents(ctx context.Context, run string, from int, lines [][]byte) error
	// Events returns the encoded events of a run from a number on.
	Events(ctx context.Context, run string, from int) ([][]byte, error)
	// FinishRun stores how a run ended. Where reusable is true, RunByKey finds it.
	// No events may be appended afterwards.
	FinishRun(ctx context.Context, r Run, reusable bool) error
}

// LangBinary is the language of a blob that is no text, such as a model.
const LangBinary = "binary"

// Blob is a stored text or file.
type Blob struct {
	Language string
	Data     []byte
}

// Session is a source with its settings and the runs made from it.
type Session struct {
	// ID is unguessable; whoever knows it may read.
	ID string
	// TokenHash is the SHA-256 of the edit token.
	TokenHash [32]byte
	Title     string
	Source    Source
	Created   time.Time
	// Settings are those of the latest run as JSON; empty before the first.
	Settings []byte
	Runs     []string
}

// Source says where a module comes from.
type Source struct {
	// Kind is "gallery" or "upload".
	Kind string `json:"kind"`
	// Name is the name of the gallery model or of the uploaded file.
	Name string `json:"name"`
	// Blob is the hash of the uploaded file; empty for the gallery.
	Blob string `json:"blob,omitempty"`
}

// The kinds of sources.
const (
	SourceGallery = "gallery"
	SourceUpload  = "upload"
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
