// Package storetest holds the tests that every implementation of store.Store passes.
// Only tests import it.
package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/store"
)

// Limit is the number of bytes that Conform asks stores to hold at most.
const Limit = 4 << 20

// Conform tests a kind of store. open returns an empty one of at most Limit bytes, which it
// closes at the end of the test.
func Conform(t *testing.T, open func(t *testing.T) store.Store) {
	for _, part := range []struct {
		name string
		test func(*testing.T, store.Store)
	}{
		{"events", events},
		{"texts", texts},
		{"blobs", blobs},
		{"sessions", sessions},
		{"notes", notes},
		{"shared", shared},
		{"forks", forks},
		{"classes", classes},
		{"reports", reports},
		{"expiry", expiry},
		{"quotas", quotas},
		{"room", room},
		{"full", full},
		{"concurrent", concurrent},
		{"random", random},
	} {
		t.Run(part.name, func(t *testing.T) { part.test(t, open(t)) })
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// want fails unless err is a kind of error.
func want(t *testing.T, kind, err error, what string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("%s: %v, want %v", what, err, kind)
	}
}

func events(t *testing.T, s store.Store) {
	ctx := t.Context()
	made := time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)
	must(t, s.CreateRun(ctx, store.Run{ID: "r", Key: "k", Request: []byte("{}"), Created: made}))
	if err := s.CreateRun(ctx, store.Run{ID: "r"}); err == nil {
		t.Error("a run was created twice")
	}
	for i := range 4 {
		must(t, s.AppendEvents(ctx, "r", i, [][]byte{fmt.Appendf(nil, "line %d", i)}))
	}
	must(t, s.AppendEvents(ctx, "r", 4, [][]byte{[]byte("line 4"), {}, []byte(strings.Repeat("long ", 5000))}))
	if err := s.AppendEvents(ctx, "r", 4, [][]byte{[]byte("again")}); err == nil {
		t.Error("an event with a number that exists was appended")
	}
	if err := s.AppendEvents(ctx, "r", 8, [][]byte{[]byte("gap")}); err == nil {
		t.Error("an event behind a gap was appended")
	}
	for from, first := range map[int]string{-1: "line 0", 0: "line 0", 3: "line 3", 4: "line 4", 5: ""} {
		lines, err := s.Events(ctx, "r", from)
		must(t, err)
		if len(lines) != 7-max(from, 0) || string(lines[0]) != first || len(lines[len(lines)-1]) != 25000 {
			t.Errorf("events from %d are %d, the first is %q", from, len(lines), lines[0])
		}
	}
	if lines, err := s.Events(ctx, "r", 99); err != nil || len(lines) != 0 {
		t.Errorf("events from 99 are %d lines, error %v", len(lines), err)
	}
	_, err := s.RunByKey(ctx, "k")
	want(t, store.ErrNotFound, err, "a run that has not finished, by key")
	must(t, s.CreateRun(ctx, store.Run{ID: "r2", Key: "k2"}))
	if open, err := s.Unfinished(ctx); err != nil || len(open) != 2 || open[0].ID != "r" || open[0].Events != 7 || open[1].ID != "r2" {
		t.Errorf("unfinished are %+v (%v)", open, err)
	}
	must(t, s.FinishRun(ctx, store.Run{ID: "r", Status: "ok", Hash: "h"}, true))
	must(t, s.FinishRun(ctx, store.Run{ID: "r2", Status: "failed"}, false))
	r, err := s.RunByKey(ctx, "k")
	must(t, err)
	if r.ID != "r" || r.Status != "ok" || r.Hash != "h" || r.Events != 7 || string(r.Request) != "{}" || !r.Created.Equal(made) {
		t.Errorf("run by key is %+v", r)
	}
	_, err = s.RunByKey(ctx, "k2")
	want(t, store.ErrNotFound, err, "a run that may not be shared, by key")
	if open, err := s.Unfinished(ctx); err != nil || len(open) != 0 {
		t.Errorf("unfinished are %+v (%v)", open, err)
	}
	if err := s.AppendEvents(ctx, "r", 7, [][]byte{[]byte("late")}); err == nil {
		t.Error("an event was appended to a finished run")
	}
	_, err = s.Events(ctx, "none", 0)
	want(t, store.ErrNotFound, err, "events of an unknown run")
	_, err = s.Run(ctx, "none")
	want(t, store.ErrNotFound, err, "an unknown run")
	want(t, store.ErrNotFound, s.AppendEvents(ctx, "none", 0, nil), "events for an unknown run")
	want(t, store.ErrNotFound, s.FinishRun(ctx, store.Run{ID: "none"}, false), "the end of an unknown run")
}

// version returns a text of n lines of which one differs from version to version.
func version(v, n int) []byte {
	var b bytes.Buffer
	for i := range n {
		if i == v%n {
			fmt.Fprintf(&b, "lv%d = R.multiply(x, y) # version %d\n", i, v)
		} else {
			fmt.Fprintf(&b, "lv%d = R.add(x, y)\n", i)
		}
	}
	return b.Bytes()
}

func texts(t *testing.T, s store.Store) {
	ctx := t.Context()
	must(t, s.CreateRun(ctx, store.Run{ID: "r"}))
	const n = 80 // more than a chain of dictionaries
	var base string
	for v := range n {
		data := version(v, 60)
		text := store.Text{Hash: event.HashBytes(data), Language: event.LangTVMScript, Data: data, Base: base}
		var empty store.Text
		if v%7 == 0 {
			empty = store.Text{Hash: event.HashBytes(nil), Language: event.LangPlain}
			must(t, s.AppendEvents(ctx, "r", v, [][]byte{[]byte("x")}, text, empty, text))
		} else {
			must(t, s.AppendEvents(ctx, "r", v, [][]byte{[]byte("x")}, text))
		}
		base = text.Hash
	}
	for v := range n {
		data := version(v, 60)
		b, err := s.Blob(ctx, event.HashBytes(data))
		must(t, err)
		if !bytes.Equal(b.Data, data) || b.Language != event.LangTVMScript {
			t.Fatalf("version %d comes back with %d bytes in %s, want %d", v, len(b.Data), b.Language, len(data))
		}
	}
	if b, err := s.Blob(ctx, event.HashBytes(nil)); err != nil || len(b.Data) != 0 {
		t.Errorf("the empty text is %q (%v)", b.Data, err)
	}
	// A text goes with its events or not at all.
	lost := store.Text{Hash: event.HashText("lost"), Language: event.LangPlain, Data: []byte("lost")}
	if err := s.AppendEvents(ctx, "r", 0, [][]byte{[]byte("x")}, lost); err == nil {
		t.Error("an event with a number that exists was appended")
	}
	_, err := s.Blob(ctx, lost.Hash)
	want(t, store.ErrNotFound, err, "the text of an event that was refused")
	// A dictionary that is not there is no reason to fail.
	lost.Base = event.HashText("never stored")
	must(t, s.AppendEvents(ctx, "r", n, nil, lost))
	if b, err := s.Blob(ctx, lost.Hash); err != nil || string(b.Data) != "lost" {
		t.Errorf("a text without its base is %q (%v)", b.Data, err)
	}
}

func blobs(t *testing.T, s store.Store) {
	ctx := t.Context()
	must(t, s.CreateRun(ctx, store.Run{ID: "r"}))
	must(t, s.CreateRun(ctx, store.Run{ID: "r2"}))
	must(t, s.CreateSession(ctx, store.Session{ID: "s"}))
	text := strings.Repeat("lv = R.add(a, b)\n", 500)
	hash, err := s.PutBlob(ctx, "r", event.LangTVMScript, []byte(text))
	must(t, err)
	if hash != event.HashText(text) {
		t.Errorf("hash is %s, want %s", hash, event.HashText(text))
	}
	must(t, s.KeepBlob(ctx, "r2", hash))
	must(t, s.KeepBlob(ctx, "r2", hash))
	must(t, s.KeepBlob(ctx, "s", hash))
	must(t, s.FinishRun(ctx, store.Run{ID: "r", Status: "ok"}, false))
	b, err := s.Blob(ctx, hash)
	must(t, err)
	if string(b.Data) != text || b.Language != event.LangTVMScript {
		t.Errorf("blob has %d bytes in %s, want %d", len(b.Data), b.Language, len(text))
	}
	_, err = s.PutBlob(ctx, "nobody", event.LangPlain, nil)
	want(t, store.ErrNotFound, err, "a blob without an owner")
	want(t, store.ErrNotFound, s.KeepBlob(ctx, "nobody", hash), "a blob without an owner")
	want(t, store.ErrNotFound, s.KeepBlob(ctx, "r", event.HashText("other")), "a blob that is not there")
	want(t, store.ErrNotFound, s.KeepBlob(ctx, "r", hash, event.HashText("other")), "one blob that is not there")
	must(t, s.KeepBlob(ctx, "r2"))
	must(t, s.KeepBlob(ctx, "r2", hash, hash))
	for _, h := range []string{event.HashText("other"), "", "x", "../../etc/passwd"} {
		_, err = s.Blob(ctx, h)
		want(t, store.ErrNotFound, err, fmt.Sprintf("blob %q", h))
	}
}

func concurrent(t *testing.T, s store.Store) {
	ctx := t.Context()
	const writers, each = 8, 25
	for w := range writers {
		must(t, s.CreateRun(ctx, store.Run{ID: fmt.Sprint("r", w)}))
	}
	must(t, s.CreateSession(ctx, store.Session{ID: "s"}))
	var wg sync.WaitGroup
	for w := range writers {
		id := fmt.Sprint("r", w)
		wg.Go(func() {
			var base string
			for i := range each {
				data := version(i, 40) // the same texts in all runs
				text := store.Text{Hash: event.HashBytes(data), Language: event.LangPlain, Data: data, Base: base}
				base = text.Hash
				if err := s.AppendEvents(ctx, id, i, [][]byte{fmt.Appendf(nil, "%s %d", id, i)}, text); err != nil {
					t.Error(err)
				}
				if err := s.KeepBlob(ctx, id, base); err != nil {
					t.Error(err)
				}
				if err := s.AddRun(ctx, "s", id); err != nil {
					t.Error(err)
				}
				if lines, err := s.Events(ctx, fmt.Sprint("r", (w+1)%writers), 0); err != nil || len(lines) > each {
					t.Errorf("%d events, %v", len(lines), err)
				}
				if b, err := s.Blob(ctx, base); err != nil || !bytes.Equal(b.Data, data) {
					t.Errorf("text has %d bytes, %v", len(b.Data), err)
				}
			}
			if err := s.FinishRun(ctx, store.Run{ID: id, Status: "ok"}, true); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for w := range writers {
		id := fmt.Sprint("r", w)
		lines, err := s.Events(ctx, id, 0)
		must(t, err)
		for i, l := range lines {
			if string(l) != fmt.Sprint(id, " ", i) {
				t.Fatalf("event %d of %s is %q", i, id, l)
			}
		}
		if len(lines) != each {
			t.Errorf("%s has %d events", id, len(lines))
		}
	}
}
