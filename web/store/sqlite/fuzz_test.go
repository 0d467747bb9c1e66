package sqlite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/web/store"
)

// sample returns the files of a database with something of everything: as it is when it was closed,
// and with the log beside it that a kill leaves.
func sample(t testing.TB) (db, killed, wal []byte) {
	t.Helper()
	dir, ctx := t.TempDir(), t.Context()
	s, err := Open(ctx, Options{Dir: dir, noSync: true})
	must(t, err)
	must(t, s.CreateSession(ctx, store.Session{ID: "s", Title: "t", Runs: []string{"r"}, Notes: []store.Note{{ID: "n", Text: "note"}}}))
	for _, id := range []string{"r", "r2"} {
		must(t, s.CreateRun(ctx, store.Run{ID: id, Request: []byte("{}")}))
		var base string
		for i := range 12 {
			v := text(i, 30)
			v.Base = base
			base = v.Hash
			must(t, s.AppendEvents(ctx, id, i, [][]byte{fmt.Append(nil, "event ", i)}, v))
		}
	}
	must(t, s.FinishRun(ctx, store.Run{ID: "r", Status: "ok"}, true))
	killed, err = os.ReadFile(filepath.Join(dir, FileName))
	must(t, err)
	wal, err = os.ReadFile(filepath.Join(dir, FileName+"-wal"))
	must(t, err)
	must(t, s.Close())
	db, err = os.ReadFile(filepath.Join(dir, FileName))
	must(t, err)
	return db, killed, wal
}

// visit opens a folder with files of any content and reads and writes everything. Nothing
// of it may panic or hang; it returns what went wrong.
func visit(t testing.TB, db, wal []byte) error {
	dir, ctx := t.TempDir(), context.Background()
	must(t, os.WriteFile(filepath.Join(dir, FileName), db, 0o600))
	if wal != nil {
		must(t, os.WriteFile(filepath.Join(dir, FileName+"-wal"), wal, 0o600))
	}
	s, err := Open(ctx, Options{Dir: dir, MaxBytes: minBytes, noSync: true})
	if err != nil {
		return err
	}
	var all []error
	note := func(err error) { all = append(all, err) }
	for _, id := range []string{"r", "r2"} {
		_, err := s.Run(ctx, id)
		note(err)
		_, err = s.Events(ctx, id, 0)
		note(err)
	}
	for i := range 12 {
		_, err := s.Blob(ctx, text(i, 30).Hash)
		note(err)
	}
	_, err = s.Session(ctx, "s")
	note(err)
	_, err = s.Sessions(ctx, [32]byte{})
	note(err)
	_, err = s.Unfinished(ctx)
	note(err)
	note(s.AppendEvents(ctx, "r2", 12, [][]byte{[]byte("x")}, text(20, 30)))
	note(s.FinishRun(ctx, store.Run{ID: "r2", Status: "ok"}, true))
	note(s.PutNote(ctx, "s", store.Note{ID: "m"}))
	note(s.DeleteSession(ctx, "s"))
	_, _, err = s.Expire(ctx, moment(1<<60))
	note(err)
	note(s.Close())
	return errors.Join(all...)
}

// TestDamagedFiles cuts and changes the files of a database at many places.
func TestDamagedFiles(t *testing.T) {
	db, killed, wal := sample(t)
	if err := errors.Join(visit(t, db, nil), visit(t, killed, wal)); err != nil {
		t.Fatalf("the sample itself: %v", err)
	}
	seed.Each(t, 1, func(t *testing.T, r *rand.Rand) {
		noticed := 0
		n := 150
		if testing.Short() {
			n = 15
		}
		for i := range n {
			bad := append([]byte{}, db...)
			switch i % 3 {
			case 0:
				bad = bad[:r.IntN(len(bad))]
			case 1:
				for range 1 + r.IntN(8) {
					bad[r.IntN(len(bad))] ^= byte(1 << r.IntN(8))
				}
			case 2: // pages in the wrong place
				a, b := r.IntN(len(bad)/4096), r.IntN(len(bad)/4096)
				copy(bad[a*4096:(a+1)*4096], db[b*4096:])
			}
			if visit(t, bad, nil) != nil {
				noticed++
			}
		}
		if noticed < n/2 {
			t.Errorf("of %d damaged files %d were noticed", n, noticed)
		}
		for range 30 {
			bad := append([]byte{}, wal...)
			bad[r.IntN(len(bad))] ^= 1
			_ = visit(t, killed, bad[:r.IntN(len(bad))]) // an end that is lost is no error
		}
	})
}

func FuzzOpen(f *testing.F) {
	db, killed, wal := sample(f)
	f.Add(db, []byte(nil))
	f.Add(db[:len(db)/2], []byte(nil))
	f.Add(killed, wal)
	f.Add(killed, wal[:len(wal)/2])
	f.Add(db[:100], wal)
	f.Fuzz(func(t *testing.T, db, wal []byte) { _ = visit(t, db, wal) })
}
