package storetest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/store"
)

// noise returns bytes that do not compress, so that only dropping makes room.
func noise(seed, n int) []byte {
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(r.Uint32())
	}
	return out
}

// fill makes a finished run with texts of n bytes and returns the hash of its text.
func fill(t *testing.T, s store.Store, id string, seed, n int) string {
	t.Helper()
	ctx := t.Context()
	must(t, s.CreateRun(ctx, store.Run{ID: id, Key: id}))
	h, err := s.PutBlob(ctx, id, event.LangPlain, noise(seed, n))
	must(t, err)
	must(t, s.AppendEvents(ctx, id, 0, [][]byte{[]byte("{}")}))
	must(t, s.FinishRun(ctx, store.Run{ID: id, Status: "ok"}, true))
	return h
}

func room(t *testing.T, s store.Store) {
	ctx := t.Context()
	const part = Limit / 20
	must(t, s.CreateSession(ctx, store.Session{ID: "shared"}))
	must(t, s.AddRun(ctx, "shared", "kept"))
	must(t, s.ShareSession(ctx, "shared"))
	must(t, s.CreateSession(ctx, store.Session{ID: "mine"}))
	kept := fill(t, s, "kept", 0, part)
	var hashes []string
	const n = 60
	for i := range n {
		id := fmt.Sprint("r", i)
		must(t, s.AddRun(ctx, "mine", id))
		hashes = append(hashes, fill(t, s, id, i+1, part))
	}
	for what, get := range map[string]func(i int) error{
		"run":    func(i int) error { _, err := s.Run(ctx, fmt.Sprint("r", i)); return err },
		"key":    func(i int) error { _, err := s.RunByKey(ctx, fmt.Sprint("r", i)); return err },
		"events": func(i int) error { _, err := s.Events(ctx, fmt.Sprint("r", i), 0); return err },
		"text":   func(i int) error { _, err := s.Blob(ctx, hashes[i]); return err },
	} {
		want(t, store.ErrNotFound, get(0), what+" of the oldest run")
		for i := n - 8; i < n; i++ {
			if err := get(i); err != nil {
				t.Errorf("%s of run %d: %v", what, i, err)
			}
		}
	}
	if _, err := s.Blob(ctx, kept); err != nil {
		t.Errorf("the text of a shared session: %v", err)
	}
	if lines, err := s.Events(ctx, "kept", 0); err != nil || len(lines) != 1 {
		t.Errorf("the events of a shared session: %d, %v", len(lines), err)
	}
	for _, id := range []string{"shared", "mine"} {
		if _, err := s.Session(ctx, id); err != nil {
			t.Errorf("session %s went before runs did: %v", id, err)
		}
	}
}

func full(t *testing.T, s store.Store) {
	ctx := t.Context()
	const part = Limit / 10
	// What is going on and what is shared fills the store.
	must(t, s.CreateRun(ctx, store.Run{ID: "live"}))
	must(t, s.CreateSession(ctx, store.Session{ID: "s"}))
	must(t, s.AddRun(ctx, "s", "shared"))
	must(t, s.ShareSession(ctx, "s"))
	fill(t, s, "shared", 1, part)
	var err error
	texts := 0
	for ; err == nil; texts++ {
		if texts > 20 {
			t.Fatal("the store takes more than twice what it may hold")
		}
		data := noise(100+texts, part)
		err = s.AppendEvents(ctx, "live", texts, [][]byte{fmt.Append(nil, texts)}, store.Text{Hash: event.HashBytes(data), Language: event.LangPlain, Data: data})
	}
	want(t, store.ErrFull, err, "a store that is full")
	if texts < 6 {
		t.Errorf("the store was full after %d tenths", texts)
	}
	// What was not stored is not there, and reading goes on.
	lines, err := s.Events(ctx, "live", 0)
	if err != nil || len(lines) != texts-1 {
		t.Errorf("%d events, want %d (%v)", len(lines), texts-1, err)
	}
	if _, err := s.Run(ctx, "shared"); err != nil {
		t.Errorf("a run of a shared session: %v", err)
	}
	// With room, writing goes on.
	must(t, s.FinishRun(ctx, store.Run{ID: "live", Status: "ok"}, true))
	fill(t, s, "next", 3, part)
	_, err = s.Run(ctx, "live")
	want(t, store.ErrNotFound, err, "a run that had to go")
}
