package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/store"
)

// conform is the suite that every implementation of Store passes.
func conform(t *testing.T, open func(t *testing.T) store.Store) {
	t.Run("events", func(t *testing.T) {
		s, ctx := open(t), t.Context()
		must(t, s.CreateRun(ctx, store.Run{ID: "r", Key: "k", Request: []byte("{}")}))
		for i := range 5 {
			must(t, s.AppendEvents(ctx, "r", i, [][]byte{fmt.Appendf(nil, "line %d", i)}))
		}
		if err := s.AppendEvents(ctx, "r", 4, [][]byte{[]byte("again")}); err == nil {
			t.Error("an event with a number that exists was appended")
		}
		if err := s.AppendEvents(ctx, "r", 6, [][]byte{[]byte("gap")}); err == nil {
			t.Error("an event behind a gap was appended")
		}
		lines, err := s.Events(ctx, "r", 3)
		must(t, err)
		if got := string(bytes.Join(lines, []byte("|"))); got != "line 3|line 4" {
			t.Errorf("events from 3 are %q", got)
		}
		if lines, err = s.Events(ctx, "r", 99); err != nil || len(lines) != 0 {
			t.Errorf("events from 99 are %d lines, error %v", len(lines), err)
		}
		if _, err := s.RunByKey(ctx, "k"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a run that has not finished is found by key: %v", err)
		}
		must(t, s.FinishRun(ctx, store.Run{ID: "r", Status: "ok", Hash: "h"}, true))
		r, err := s.RunByKey(ctx, "k")
		must(t, err)
		if r.ID != "r" || r.Status != "ok" || r.Hash != "h" || r.Events != 5 || string(r.Request) != "{}" {
			t.Errorf("run by key is %+v", r)
		}
		if err := s.AppendEvents(ctx, "r", 5, [][]byte{[]byte("late")}); err == nil {
			t.Error("an event was appended to a finished run")
		}
		if _, err := s.Events(ctx, "none", 0); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("events of an unknown run: %v", err)
		}
	})
	t.Run("blobs", func(t *testing.T) {
		s, ctx := open(t), t.Context()
		must(t, s.CreateRun(ctx, store.Run{ID: "r"}))
		must(t, s.CreateRun(ctx, store.Run{ID: "r2"}))
		text := strings.Repeat("lv = R.add(a, b)\n", 500)
		hash, err := s.PutBlob(ctx, "r", event.LangTVMScript, []byte(text))
		must(t, err)
		if hash != event.HashText(text) {
			t.Errorf("hash is %s, want %s", hash, event.HashText(text))
		}
		must(t, s.KeepBlob(ctx, "r2", hash))
		must(t, s.FinishRun(ctx, store.Run{ID: "r", Status: "ok"}, false))
		b, err := s.Blob(ctx, hash)
		must(t, err)
		if string(b.Data) != text || b.Language != event.LangTVMScript {
			t.Errorf("blob has %d bytes in %s, want %d", len(b.Data), b.Language, len(text))
		}
		if _, err := s.PutBlob(ctx, "nobody", event.LangPlain, nil); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a blob without an owner was kept: %v", err)
		}
		if err := s.KeepBlob(ctx, "r", event.HashText("other")); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a blob that is not there was kept: %v", err)
		}
		if _, err := s.Blob(ctx, event.HashText("other")); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a blob that is not there was found: %v", err)
		}
	})
	t.Run("sessions", func(t *testing.T) {
		s, ctx := open(t), t.Context()
		must(t, s.CreateSession(ctx, store.Session{ID: "s", Title: "mlp", TokenHash: [32]byte{1}}))
		if err := s.CreateSession(ctx, store.Session{ID: "s"}); err == nil {
			t.Error("a session was created twice")
		}
		must(t, s.AddRun(ctx, "s", "a"))
		must(t, s.AddRun(ctx, "s", "b"))
		must(t, s.AddRun(ctx, "s", "a"))
		must(t, s.SaveSettings(ctx, "s", []byte(`{"opt_level":3}`)))
		got, err := s.Session(ctx, "s")
		must(t, err)
		if strings.Join(got.Runs, " ") != "a b" || string(got.Settings) != `{"opt_level":3}` || got.TokenHash != [32]byte{1} {
			t.Errorf("session is %+v", got)
		}
		for _, err := range []error{s.AddRun(ctx, "x", "a"), s.SaveSettings(ctx, "x", nil)} {
			if !errors.Is(err, store.ErrNotFound) {
				t.Errorf("change of an unknown session: %v", err)
			}
		}
	})
	t.Run("concurrent", func(t *testing.T) {
		s, ctx := open(t), t.Context()
		must(t, s.CreateRun(ctx, store.Run{ID: "r"}))
		var wg sync.WaitGroup
		for w := range 4 {
			wg.Go(func() {
				for i := range 100 {
					if _, err := s.PutBlob(ctx, "r", event.LangPlain, fmt.Appendf(nil, "text %d", i)); err != nil {
						t.Error(err)
					}
					if w == 0 {
						if err := s.AppendEvents(ctx, "r", i, [][]byte{[]byte("x")}); err != nil {
							t.Error(err)
						}
					} else if _, err := s.Events(ctx, "r", 0); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestMemory(t *testing.T) {
	conform(t, func(*testing.T) store.Store { return store.NewMemory(1 << 24) })
}

func TestMemoryStaysWithinItsLimit(t *testing.T) {
	const limit = 200_000
	m, ctx := store.NewMemory(limit), t.Context()
	must(t, m.CreateSession(ctx, store.Session{ID: "s"}))
	var hashes []string
	for i := range 50 {
		id := fmt.Sprint("r", i)
		must(t, m.CreateRun(ctx, store.Run{ID: id, Key: id}))
		must(t, m.AddRun(ctx, "s", id))
		// Bytes that do not compress, so that only dropping makes room.
		data := make([]byte, 20_000)
		x := uint32(i + 1)
		for j := range data {
			x = x*1664525 + 1013904223
			data[j] = byte(x >> 24)
		}
		h, err := m.PutBlob(ctx, id, event.LangPlain, data)
		must(t, err)
		hashes = append(hashes, h)
		must(t, m.AppendEvents(ctx, id, 0, [][]byte{[]byte("{}")}))
		must(t, m.FinishRun(ctx, store.Run{ID: id, Status: "ok"}, true))
		if m.Used() > limit {
			t.Fatalf("after run %d the store holds %d bytes, limit %d", i, m.Used(), limit)
		}
	}
	if _, err := m.Run(ctx, "r0"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the oldest run is still there: %v", err)
	}
	if _, err := m.RunByKey(ctx, "r0"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the oldest run is still found by key: %v", err)
	}
	if _, err := m.Blob(ctx, hashes[0]); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the text of the oldest run is still there: %v", err)
	}
	if _, err := m.Blob(ctx, hashes[49]); err != nil {
		t.Errorf("the text of the newest run is gone: %v", err)
	}
	must(t, m.CreateRun(ctx, store.Run{ID: "live"}))
	if _, err := m.PutBlob(ctx, "live", store.LangBinary, make([]byte, limit)); !errors.Is(err, store.ErrFull) {
		t.Errorf("a blob as large as the store gives %v, want ErrFull", err)
	}
	if m.Used() > limit {
		t.Errorf("after a refused blob the store holds %d bytes, limit %d", m.Used(), limit)
	}
}
