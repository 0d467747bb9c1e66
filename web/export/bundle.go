package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// ErrTooLarge says that a session is larger than an export may be.
var ErrTooLarge = errors.New("too large to export")

// Blobs returns texts and models by hash. A store.Store is one.
type Blobs interface {
	Blob(ctx context.Context, hash string) (store.Blob, error)
}

// Bundle is a session with its finished runs.
type Bundle struct {
	Session store.Session
	Runs    []Run
	// Blobs holds the texts that the events name, and the source.
	Blobs Blobs
	// Program is the version of the program that wrote an archive.
	Program string
}

// Run is a finished run with its log.
type Run struct {
	ID      string
	Request run.Request
	Created time.Time
	Status  event.Status
	Hash    string
	Events  []event.Event
	// Check is the report of a check of its passes, as the store keeps it; nil where none was made.
	Check []byte
}

// Collect reads the finished runs of a session from a store: those with the ids, or all
// where there are none. Runs that have not finished or have expired are left out.
func Collect(ctx context.Context, st store.Store, sess store.Session, ids ...string) (*Bundle, error) {
	b := &Bundle{Session: sess, Blobs: st}
	size := 0
	for _, id := range sess.Runs {
		if len(ids) > 0 && !slices.Contains(ids, id) {
			continue
		}
		stored, err := st.Run(ctx, id)
		if errors.Is(err, store.ErrNotFound) || err == nil && stored.Status == "" {
			continue
		}
		if err != nil {
			return nil, err
		}
		r := Run{ID: id, Created: stored.Created, Status: event.Status(stored.Status), Hash: stored.Hash}
		if err := json.Unmarshal(stored.Request, &r.Request); err != nil {
			return nil, fmt.Errorf("decode request of run %s: %w", id, err)
		}
		// One that was not made, or that is damaged, can be made again.
		if report, err := st.Report(ctx, id); err == nil {
			r.Check = report
		}
		lines, err := run.StoredEvents(ctx, st, id)
		if err != nil {
			return nil, err
		}
		for _, line := range lines {
			if size += len(line); size > MaxLogs {
				return nil, fmt.Errorf("the events of the runs have more than %d MiB: %w; export a single run", MaxLogs>>20, ErrTooLarge)
			}
			e, err := event.Decode(line)
			if err != nil {
				return nil, fmt.Errorf("run %s: %w", id, err)
			}
			r.Events = append(r.Events, e)
		}
		b.Runs = append(b.Runs, r)
	}
	return b, nil
}

// number returns the name that a run has in files: its number, from 1; "" for a run that
// the bundle does not hold.
func (b *Bundle) number(id string) string {
	if i := slices.IndexFunc(b.Runs, func(r Run) bool { return r.ID == id }); i >= 0 {
		return strconv.Itoa(i + 1)
	}
	return ""
}

// text returns a text, "" for the empty hash.
func (b *Bundle) text(ctx context.Context, hash string) (store.Blob, error) {
	if hash == "" {
		return store.Blob{Language: event.LangTVMScript}, nil
	}
	return b.Blobs.Blob(ctx, hash)
}
