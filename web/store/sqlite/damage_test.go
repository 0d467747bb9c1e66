package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/store"
)

// filled opens a database with two sessions, a note, and a run of three groups of events with texts.
func filled(t *testing.T, dir string) *Store {
	t.Helper()
	s, ctx := open(t, Options{Dir: dir, noSync: true}), t.Context()
	for _, id := range []string{"s1", "s2"} {
		must(t, s.CreateSession(ctx, store.Session{ID: id, Title: "title", Settings: []byte(`{"opt_level":2}`), Created: time.Now(), TokenHash: [32]byte{1}}))
	}
	must(t, s.PutNote(ctx, "s1", store.Note{ID: "n1", Text: "look here", Line: 3, Created: time.Now()}))
	must(t, s.CreateRun(ctx, store.Run{ID: "r"}))
	var last store.Text
	for i := range 3 {
		v := text(i, 30)
		v.Base, last = last.Hash, v
		line, err := event.Encode(event.New(fmt.Sprint(i), "", &event.PassStarted{Name: "P"}, nil))
		must(t, err)
		must(t, s.AppendEvents(ctx, "r", i, [][]byte{line.Line}, v))
	}
	return s
}

// tamper changes the file behind the store's back.
func (s *Store) tamper(t *testing.T, statement string) {
	t.Helper()
	must(t, s.w.submit(t.Context(), &change{do: func(x *tx) error { return x.exec(statement) }}))
}

// TestGoodPrefix: of a damaged log the events before the damage are returned, and where it begins.
func TestGoodPrefix(t *testing.T) {
	for statement, good := range map[string]int{
		"UPDATE event SET data = zeroblob(50) WHERE first = 0": 0,
		"UPDATE event SET data = zeroblob(50) WHERE first = 1": 1,
		"UPDATE event SET count = 2 WHERE first = 2":           2,
		"DELETE FROM event WHERE first = 1":                    1,
		"DELETE FROM event WHERE first = 2":                    2,
		"UPDATE run SET events = 2":                            3,
	} {
		s := filled(t, t.TempDir())
		s.tamper(t, statement)
		for from := range 4 {
			lines, err := s.Events(t.Context(), "r", from)
			var damage *store.Damage
			if from > good || good == 3 && from == 3 {
				continue // the damage may lie before what is asked for
			}
			if !errors.As(err, &damage) || !errors.Is(err, store.ErrDamaged) || damage.Good != good || len(lines) != good-from {
				t.Errorf("%s: from %d there are %d events and %v, want %d before the damage at %d", statement, from, len(lines), err, good-from, good)
			}
		}
	}
}

// TestRowsHaveSums changes each column of a session and of a note, and finds that it was.
func TestRowsHaveSums(t *testing.T) {
	for _, column := range []string{
		"id = 'other'", "token = zeroblob(32)", "title = 'x'", "source_kind = 'x'", "source_name = 'x'", "source_blob = 'x'", "settings = x'00'",
		"parent = 'x'", "created = 5", "expires = 9e18", "shared = 1", "lesson = 'x'", "sum = x'00'",
	} {
		s := filled(t, t.TempDir())
		id := "s1"
		s.tamper(t, "UPDATE session SET "+column+" WHERE id = 's1'")
		if strings.HasPrefix(column, "id") {
			id = "other"
		}
		if _, err := s.Session(t.Context(), id); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("after %s the session gives %v", column, err)
		}
		if _, err := s.Session(t.Context(), "s2"); err != nil {
			t.Errorf("after %s the other session gives %v", column, err)
		}
		if column != "shared = 1" {
			if err := s.SaveTitle(t.Context(), id, "new"); !errors.Is(err, store.ErrDamaged) {
				t.Errorf("after %s the title can be changed: %v", column, err)
			}
		}
	}
	for _, column := range []string{"id = 'x'", "run = 'x'", "step = 'x'", "function = 'x'", "line = 9", "text = 'x'", "created = 5", "sum = x'00'"} {
		s := filled(t, t.TempDir())
		s.tamper(t, "UPDATE note SET "+column)
		if got, err := s.Session(t.Context(), "s1"); err != nil || len(got.Notes) != 1 || got.Notes[0].Text != damagedText {
			t.Errorf("after %s the notes are %+v (%v)", column, got.Notes, err)
		}
	}
}

// TestSumBeforeLessons: the checksum of a session without a lesson is the one that was written before sessions had lessons.
func TestSumBeforeLessons(t *testing.T) {
	s := store.Session{ID: "s", Title: "t", Source: store.Source{Kind: "gallery", Name: "mlp"}, Settings: []byte("{}"), Created: time.Unix(1, 0), Shared: true}
	if got := fmt.Sprintf("%x", sessionSum(s)); got != "6e51ca524667b3caaa23cf7ab4284afb" {
		t.Errorf("the sum is %s", got)
	}
}

// TestSumsFollowChanges makes every change that a session can have; its row stays good. Rows without a sum are older than it.
func TestSumsFollowChanges(t *testing.T) {
	s, ctx := filled(t, t.TempDir()), t.Context()
	for name, change := range map[string]func() error{
		"title":    func() error { return s.SaveTitle(ctx, "s1", "new") },
		"settings": func() error { return s.SaveSettings(ctx, "s1", []byte("{}")) },
		"expiry":   func() error { return s.SetExpiry(ctx, "s1", time.Now().Add(time.Hour)) },
		"run":      func() error { return s.AddRun(ctx, "s1", "r") },
		"note":     func() error { return s.PutNote(ctx, "s1", store.Note{ID: "n1", Text: "changed"}) },
		"share":    func() error { return s.ShareSession(ctx, "s2") },
	} {
		must(t, change())
		for _, id := range []string{"s1", "s2"} {
			if got, err := s.Session(ctx, id); err != nil || len(got.Notes) > 0 && got.Notes[0].Text == damagedText {
				t.Errorf("after %s session %s is %+v, %v", name, id, got.Notes, err)
			}
		}
	}
	s.tamper(t, "UPDATE session SET sum = NULL, title = 'old' WHERE id = 's1'")
	if got, err := s.Session(ctx, "s1"); err != nil || got.Title != "old" {
		t.Errorf("a row from before the sums gives %v", err)
	}
}

// TestCheck finds each kind of damage, names it, goes on, and finds nothing in a good file, also while it is open.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	s := filled(t, dir)
	var found []string
	check := func() Checked {
		t.Helper()
		found = nil
		done, err := Check(t.Context(), dir, func(what, id string, err error) { found = append(found, what+" "+id) })
		must(t, err)
		if done.Damaged != len(found) {
			t.Errorf("%d are counted, %d reported", done.Damaged, len(found))
		}
		return done
	}
	if done := check(); done != (Checked{Sessions: 2, Notes: 1, Runs: 1, Events: 3, Texts: 3}) {
		t.Errorf("a good file gives %+v: %v", done, found)
	}
	s.tamper(t, "UPDATE session SET title = 'x' WHERE id = 's2'")
	s.tamper(t, "UPDATE note SET text = 'x'")
	s.tamper(t, "UPDATE event SET data = zeroblob(9) WHERE first = 1")
	s.tamper(t, "UPDATE blob SET data = zeroblob(9) WHERE base IS NULL")
	check()
	for _, want := range []string{"session s2", "note s1/n1", "run r", "text " + text(0, 30).Hash, "text " + text(2, 30).Hash} {
		if !slices.Contains(found, want) {
			t.Errorf("%s is not found: %v", want, found)
		}
	}
	if _, err := Check(t.Context(), t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), "no database") {
		t.Errorf("an empty folder gives %v", err)
	}
}

// TestCheckFindsDamagedPages overwrites a page of a file that is closed.
func TestCheckFindsDamagedPages(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), Options{Dir: dir})
	must(t, err)
	must(t, s.CreateSession(t.Context(), store.Session{ID: "s", Title: strings.Repeat("title ", 20)}))
	must(t, s.Close())
	path := filepath.Join(dir, FileName)
	data, err := os.ReadFile(path)
	must(t, err)
	at := strings.Index(string(data), "title title")
	if at < 0 {
		t.Fatal("the title is not in the file")
	}
	data[at] = 'T'
	must(t, os.WriteFile(path, data, 0o600))
	n := 0
	if _, err := Check(t.Context(), dir, func(string, string, error) { n++ }); err != nil || n != 1 {
		t.Errorf("a changed letter gives %d findings (%v)", n, err)
	}
}
