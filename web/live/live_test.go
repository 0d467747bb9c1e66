package live_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/irscope/irscope/web/live"
	"github.com/irscope/irscope/web/store"
)

// nobody presents a session.
func nobody(string) bool { return false }

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// next returns the next state that a viewer is told.
func next(t *testing.T, c *live.Changes) (s live.State) {
	t.Helper()
	lines, sealed, err := c.Next(t.Context(), 0)
	check(t, err)
	if sealed || len(lines) != 1 {
		t.Fatalf("got the lines %q, sealed %t", lines, sealed)
	}
	check(t, json.Unmarshal(lines[0], &s))
	return s
}

// nothing checks that a viewer is told nothing.
func nothing(t *testing.T, c *live.Changes) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if lines, _, err := c.Next(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got the lines %q and %v, want none", lines, err)
	}
}

// TestEachChangeIsTold changes all that others see of a session: each viewer is told what it shows now, once, and nothing of what they do not see.
func TestEachChangeIsTold(t *testing.T) {
	ctx, st := t.Context(), live.New(store.NewMemory(1<<20), nobody)
	check(t, st.CreateSession(ctx, store.Session{ID: "s", Title: "a"}))
	check(t, st.CreateSession(ctx, store.Session{ID: "other", Title: "a"}))
	c, leave := st.Follow("s")
	defer leave()
	late, leaveLate := st.Follow("s")
	defer leaveLate()
	if got := next(t, c); got.Title != "a" || got.Runs != 0 || got.Notes != 0 {
		t.Errorf("it begins with %+v", got)
	}
	nothing(t, c)

	check(t, st.SaveTitle(ctx, "s", "b"))
	if got := next(t, c); got.Title != "b" {
		t.Errorf("after another title %+v", got)
	}
	check(t, st.SaveTitle(ctx, "s", "b"))
	check(t, st.SaveTitle(ctx, "other", "b"))
	check(t, st.SaveSettings(ctx, "s", []byte("{}")))
	nothing(t, c)

	check(t, st.CreateRun(ctx, store.Run{ID: "r", Key: "r"}))
	check(t, st.AddRun(ctx, "s", "r"))
	if got := next(t, c); got.Latest != "r" || got.Runs != 1 || got.Ended != "" {
		t.Errorf("after a run began %+v", got)
	}
	check(t, st.FinishRun(ctx, store.Run{ID: "r", Key: "r", Status: "ok"}, true))
	if got := next(t, c); got.Ended != "ok" {
		t.Errorf("after a run ended %+v", got)
	}

	note := store.Note{ID: "n", Text: "x"}
	check(t, st.PutNote(ctx, "s", note))
	first := next(t, c)
	note.Text = "y"
	check(t, st.PutNote(ctx, "s", note))
	second := next(t, c)
	if first.Notes != 1 || second.Notes != 1 || first.NotesHash == second.NotesHash {
		t.Errorf("a note is %+v, and changed %+v", first, second)
	}
	check(t, st.DeleteNote(ctx, "s", "n"))
	if got := next(t, c); got.Notes != 0 {
		t.Errorf("after a note was deleted %+v", got)
	}
	if err := st.DeleteNote(ctx, "s", "n"); err == nil {
		t.Error("a note was deleted twice")
	}
	nothing(t, c)

	// Who reads late is told the latest alone.
	if got := next(t, late); got.Title != "b" || got.Ended != "ok" || got.Notes != 0 {
		t.Errorf("who reads late gets %+v", got)
	}
	nothing(t, late)

	check(t, st.DeleteSession(ctx, "s"))
	if lines, sealed, err := c.Next(ctx, 0); !sealed || err != nil || len(lines) > 0 {
		t.Errorf("after the session is gone: %q, %t, %v", lines, sealed, err)
	}
}

// TestAChangeWhileOneWaits wakes a viewer who waits.
func TestAChangeWhileOneWaits(t *testing.T) {
	st := live.New(store.NewMemory(1<<20), nobody)
	check(t, st.CreateSession(t.Context(), store.Session{ID: "s", Title: "a"}))
	c, leave := st.Follow("s")
	defer leave()
	next(t, c)
	told := make(chan live.State)
	go func() {
		var s live.State
		if lines, _, err := c.Next(t.Context(), 0); err == nil && len(lines) == 1 {
			_ = json.Unmarshal(lines[0], &s)
		}
		told <- s
	}()
	check(t, st.SaveTitle(t.Context(), "s", "b"))
	if got := <-told; got.Title != "b" {
		t.Errorf("who waited was told %+v", got)
	}
}
