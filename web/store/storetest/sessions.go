package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/store"
)

func sessions(t *testing.T, s store.Store) {
	ctx := t.Context()
	token, other := [32]byte{1}, [32]byte{2}
	made := time.Date(2026, 3, 1, 12, 0, 0, 987654321, time.UTC)
	src := store.Source{Kind: store.SourceUpload, Name: "m.onnx", Blob: event.HashText("m")}
	must(t, s.CreateSession(ctx, store.Session{ID: "s", Title: "mlp", Lesson: "fusion", TokenHash: token, Source: src, Created: made}))
	if err := s.CreateSession(ctx, store.Session{ID: "s"}); err == nil {
		t.Error("a session was created twice")
	}
	if err := s.CreateSession(ctx, store.Session{}); err == nil {
		t.Error("a session without an id was created")
	}
	for _, run := range []string{"a", "b", "a"} {
		must(t, s.AddRun(ctx, "s", run))
	}
	must(t, s.SaveSettings(ctx, "s", []byte(`{"opt_level":2}`)))
	must(t, s.SaveSettings(ctx, "s", []byte(`{"opt_level":3}`)))
	must(t, s.SaveTitle(ctx, "s", "a <b>title</b>"))
	got, err := s.Session(ctx, "s")
	must(t, err)
	if strings.Join(got.Runs, " ") != "a b" || string(got.Settings) != `{"opt_level":3}` || got.TokenHash != token ||
		got.Title != "a <b>title</b>" || got.Source != src || got.Lesson != "fusion" || !got.Created.Equal(made) || got.Shared || !got.Expires.IsZero() {
		t.Errorf("session is %+v", got)
	}
	for i := range store.MaxRuns + 5 {
		must(t, s.AddRun(ctx, "s", fmt.Sprint("run", i)))
	}
	got, err = s.Session(ctx, "s")
	must(t, err)
	if len(got.Runs) != store.MaxRuns || got.Runs[0] != "run5" || got.Runs[store.MaxRuns-1] != fmt.Sprint("run", store.MaxRuns+4) {
		t.Errorf("of many runs %d are listed, from %s on", len(got.Runs), got.Runs[0])
	}
	must(t, s.CreateSession(ctx, store.Session{ID: "s2", TokenHash: token, Created: made.Add(time.Hour)}))
	must(t, s.CreateSession(ctx, store.Session{ID: "s3", TokenHash: other, Created: made.Add(2 * time.Hour)}))
	mine, err := s.Sessions(ctx, token)
	must(t, err)
	if len(mine) != 2 || mine[0].ID != "s2" || mine[1].ID != "s" || mine[1].Title != "a <b>title</b>" || len(mine[1].Runs) > 0 {
		t.Errorf("sessions of a token are %+v", mine)
	}
	must(t, s.DeleteSession(ctx, "s2"))
	if mine, err = s.Sessions(ctx, token); err != nil || len(mine) != 1 {
		t.Errorf("after one was deleted the sessions are %+v (%v)", mine, err)
	}
	for what, err := range map[string]error{
		"run": s.AddRun(ctx, "x", "a"), "settings": s.SaveSettings(ctx, "x", nil), "title": s.SaveTitle(ctx, "x", ""),
		"note": s.PutNote(ctx, "x", store.Note{ID: "n"}), "no note": s.DeleteNote(ctx, "x", "n"), "share": s.ShareSession(ctx, "x"),
		"expiry": s.SetExpiry(ctx, "x", made), "delete": s.DeleteSession(ctx, "x"), "deleted": s.DeleteSession(ctx, "s2"),
	} {
		want(t, store.ErrNotFound, err, what+" of an unknown session")
	}
}

func notes(t *testing.T, s store.Store) {
	ctx := t.Context()
	first := store.Note{ID: "n0", Text: "of the whole"}
	must(t, s.CreateSession(ctx, store.Session{ID: "s", Notes: []store.Note{first}}))
	made := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	a := store.Note{ID: "a", Run: "r", Step: "3/FuseOps", Function: "main", Line: 17, Text: "why is <this> fused?", Created: made}
	b := store.Note{ID: "b", Text: "b"}
	must(t, s.PutNote(ctx, "s", a))
	must(t, s.PutNote(ctx, "s", b))
	a.Text, a.Line = "because", 18
	must(t, s.PutNote(ctx, "s", a))
	got, err := s.Session(ctx, "s")
	must(t, err)
	if !slices.Equal(got.Notes, []store.Note{first, a, b}) {
		t.Errorf("notes are %+v", got.Notes)
	}
	must(t, s.DeleteNote(ctx, "s", "a"))
	want(t, store.ErrNotFound, s.DeleteNote(ctx, "s", "a"), "deleting a note twice")
	if got, err = s.Session(ctx, "s"); err != nil || !slices.Equal(got.Notes, []store.Note{first, b}) {
		t.Errorf("notes are %+v (%v)", got.Notes, err)
	}
	for _, n := range []store.Note{{Text: "no id"}, {ID: "x", Line: -1}} {
		if err := s.PutNote(ctx, "s", n); err == nil {
			t.Errorf("note %+v was kept", n)
		}
	}
}

func shared(t *testing.T, s store.Store) {
	ctx := t.Context()
	must(t, s.CreateSession(ctx, store.Session{ID: "s", Title: "t", Notes: []store.Note{{ID: "n"}}, Expires: time.Now().Add(time.Hour)}))
	must(t, s.AddRun(ctx, "s", "r"))
	before, err := s.Session(ctx, "s")
	must(t, err)
	must(t, s.ShareSession(ctx, "s"))
	must(t, s.ShareSession(ctx, "s"))
	for what, err := range map[string]error{
		"run": s.AddRun(ctx, "s", "a"), "settings": s.SaveSettings(ctx, "s", nil), "title": s.SaveTitle(ctx, "s", "x"),
		"note": s.PutNote(ctx, "s", store.Note{ID: "n", Text: "x"}), "no note": s.DeleteNote(ctx, "s", "n"),
	} {
		want(t, store.ErrShared, err, what+" of a shared session")
	}
	after, err := s.Session(ctx, "s")
	must(t, err)
	if !after.Shared || !after.Expires.IsZero() || after.Title != "t" || !slices.Equal(after.Runs, before.Runs) || !slices.Equal(after.Notes, before.Notes) {
		t.Errorf("the shared session is %+v, was %+v", after, before)
	}
}

func forks(t *testing.T, s store.Store) {
	ctx := t.Context()
	must(t, s.CreateSession(ctx, store.Session{ID: "root"}))
	for _, id := range []string{"a", "b"} {
		must(t, s.CreateSession(ctx, store.Session{ID: id, Parent: "root", Settings: []byte("{}"), Runs: []string{"r1", "r2"}}))
	}
	must(t, s.CreateSession(ctx, store.Session{ID: "aa", Parent: "a"}))
	tree := map[string][]string{"root": {"a", "b"}, "a": {"aa"}, "b": nil, "aa": nil}
	for id, children := range tree {
		got, err := s.Session(ctx, id)
		must(t, err)
		if !slices.Equal(got.Children, children) {
			t.Errorf("children of %s are %v, want %v", id, got.Children, children)
		}
		if id == "b" && (got.Parent != "root" || string(got.Settings) != "{}" || !slices.Equal(got.Runs, []string{"r1", "r2"})) {
			t.Errorf("the fork is %+v", got)
		}
	}
	must(t, s.DeleteSession(ctx, "a"))
	must(t, s.SetExpiry(ctx, "b", time.Now().Add(-time.Second)))
	if got, err := s.Session(ctx, "root"); err != nil || len(got.Children) > 0 {
		t.Errorf("children that are gone are listed: %v (%v)", got.Children, err)
	}
	if got, err := s.Session(ctx, "aa"); err != nil || got.Parent != "a" {
		t.Errorf("the child of a deleted session has the parent %q (%v)", got.Parent, err)
	}
}

func expiry(t *testing.T, s store.Store) {
	ctx := t.Context()
	now := time.Now()
	old := now.Add(-2 * store.OrphanTime)
	for i, id := range []string{"gone", "stays", "never"} {
		expires := []time.Time{now.Add(time.Hour), now.Add(48 * time.Hour), {}}[i]
		must(t, s.CreateSession(ctx, store.Session{ID: id, Expires: expires}))
		must(t, s.CreateRun(ctx, store.Run{ID: "run " + id, Created: old}))
		_, err := s.PutBlob(ctx, "run "+id, event.LangPlain, []byte(id))
		must(t, err)
		_, err = s.PutBlob(ctx, "run "+id, event.LangPlain, []byte("of all"))
		must(t, err)
		must(t, s.AddRun(ctx, id, "run "+id))
		must(t, s.FinishRun(ctx, store.Run{ID: "run " + id, Status: "ok"}, true))
	}
	must(t, s.CreateRun(ctx, store.Run{ID: "open", Created: old}))
	must(t, s.CreateRun(ctx, store.Run{ID: "new", Created: now.Add(time.Hour)}))
	must(t, s.FinishRun(ctx, store.Run{ID: "new", Status: "ok"}, false))
	if n, r, err := s.Expire(ctx, now); err != nil || n+r != 0 {
		t.Errorf("%d sessions and %d runs expired early (%v)", n, r, err)
	}
	if n, r, err := s.Expire(ctx, now.Add(time.Hour)); err != nil || n != 1 || r != 1 {
		t.Errorf("%d sessions and %d runs expired, want 1 of each (%v)", n, r, err)
	}
	for id, there := range map[string]bool{"gone": false, "stays": true, "never": true} {
		_, err := s.Session(ctx, id)
		_, err2 := s.Run(ctx, "run "+id)
		_, err3 := s.Blob(ctx, event.HashText(id))
		for _, err := range []error{err, err2, err3} {
			if there != (err == nil) || err != nil && !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s: %v", id, err)
			}
		}
	}
	for _, id := range []string{"open", "new"} {
		if _, err := s.Run(ctx, id); err != nil {
			t.Errorf("run %s: %v", id, err)
		}
	}
	if _, err := s.Blob(ctx, event.HashText("of all")); err != nil {
		t.Errorf("a text that other runs keep: %v", err)
	}
	// What has expired is not found, even before it is removed.
	must(t, s.SetExpiry(ctx, "stays", now))
	_, err := s.Session(ctx, "stays")
	want(t, store.ErrNotFound, err, "a session that has expired")
	want(t, store.ErrNotFound, s.SaveTitle(ctx, "stays", "x"), "a session that has expired")
}

func quotas(t *testing.T, s store.Store) {
	ctx := t.Context()
	must(t, s.CreateSession(ctx, store.Session{ID: "s"}))
	long := strings.Repeat("x", store.MaxNote+1)
	want(t, store.ErrQuota, s.SaveTitle(ctx, "s", long[:store.MaxTitle+1]), "a long title")
	want(t, store.ErrQuota, s.CreateSession(ctx, store.Session{ID: "s2", Title: long}), "a long title")
	want(t, store.ErrQuota, s.CreateSession(ctx, store.Session{ID: "s2", Lesson: long}), "a long name of a lesson")
	want(t, store.ErrQuota, s.PutNote(ctx, "s", store.Note{ID: "n", Text: long}), "a long note")
	want(t, store.ErrQuota, s.PutNote(ctx, "s", store.Note{ID: "n", Step: long}), "a long step")
	if got, err := s.Session(ctx, "s"); err != nil || got.Title != "" {
		t.Errorf("after refused changes the session is %+v (%v)", got, err)
	}
	many := make([]store.Note, store.MaxNotes)
	for i := range many {
		many[i].ID = fmt.Sprint(i)
	}
	must(t, s.CreateSession(ctx, store.Session{ID: "noted", Notes: many}))
	want(t, store.ErrQuota, s.PutNote(ctx, "noted", store.Note{ID: "more"}), "one note too many")
	must(t, s.PutNote(ctx, "noted", store.Note{ID: "3", Text: "changed"}))
	want(t, store.ErrQuota, s.CreateSession(ctx, store.Session{ID: "s3", Notes: append(many, store.Note{ID: "more"})}), "one note too many")

	token := [32]byte{7}
	for i := range store.MaxSessions {
		must(t, s.CreateSession(ctx, store.Session{ID: fmt.Sprint("t", i), TokenHash: token}))
	}
	want(t, store.ErrQuota, s.CreateSession(ctx, store.Session{ID: "more", TokenHash: token}), "one session too many")
	must(t, s.CreateSession(ctx, store.Session{ID: "of another", TokenHash: [32]byte{8}}))
	must(t, s.DeleteSession(ctx, "t0"))
	must(t, s.CreateSession(ctx, store.Session{ID: "more", TokenHash: token}))

	_, err := s.PutBlob(ctx, "more", store.LangBinary, noise(1, Limit/2+1))
	want(t, store.ErrQuota, err, "uploads of more than half of the store")
}
