//go:build unix

package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/irscope/irscope/web/store"
)

// limitFiles bounds the size of files that this process writes until the test ends, and returns what lifts the bound.
func limitFiles(t *testing.T, bytes uint64) (lift func()) {
	t.Helper()
	var before syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before))
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: before.Max}))
	lift = func() { must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before)) }
	t.Cleanup(lift)
	return lift
}

// TestFileMayNotGrow reaches the limit on the size of a file: that is a full store, reading goes on, and so does writing when the limit
// is lifted.
func TestFileMayNotGrow(t *testing.T) {
	s, ctx := open(t, Options{}), t.Context()
	must(t, s.CreateRun(ctx, store.Run{ID: "r"}))
	lift := limitFiles(t, 600_000)
	stored, err := fill(t, s)
	if !errors.Is(err, store.ErrFull) || !strings.Contains(err.Error(), "has reached its size limit") {
		t.Fatalf("after %d events: %v", stored, err)
	}
	if lines, err := s.Events(ctx, "r", 0); err != nil || len(lines) != stored || stored < 3 {
		t.Errorf("%d events, want %d (%v)", len(lines), stored, err)
	}
	lift()
	must(t, s.AppendEvents(ctx, "r", stored, [][]byte{[]byte("again")}))
	must(t, s.FinishRun(ctx, store.Run{ID: "r", Status: "ok"}, true))
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(s.path), "room-*")); err != nil || len(left) > 0 {
		t.Errorf("files are left behind: %v, %v", left, err)
	}
}

// TestWhatMeansFull checks which errors of the system mean that there is no room.
func TestWhatMeansFull(t *testing.T) {
	for no, want := range map[syscall.Errno]string{syscall.ENOSPC: "no room", syscall.EDQUOT: "quota", syscall.EFBIG: "has reached its size limit"} {
		if err := full(&fs.PathError{Op: "write", Path: "x", Err: no}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v means %v, want %s", no, err, want)
		}
	}
	for _, err := range []error{nil, syscall.EIO, os.ErrPermission} {
		if got := full(err); got != nil {
			t.Errorf("%v means %v, want nothing", err, got)
		}
	}
	other := errors.New("something else")
	if got := noRoom(filepath.Join(t.TempDir(), "x"), other); got != other {
		t.Errorf("an error that is not SQLite's becomes %v", got)
	}
}

// TestFilesArePrivate: tokens' hashes, sources and notes are for the owner of the server, also where the file was readable before.
func TestFilesArePrivate(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	dir := t.TempDir()
	for _, before := range []fs.FileMode{0, 0o644} {
		if before != 0 {
			must(t, os.Chmod(filepath.Join(dir, FileName), before))
		}
		s, err := Open(t.Context(), Options{Dir: dir})
		must(t, err)
		must(t, s.CreateRun(t.Context(), store.Run{ID: fmt.Sprint("r", before)}))
		files, err := os.ReadDir(dir)
		must(t, err)
		if len(files) < 3 {
			t.Errorf("the folder has only %v", files)
		}
		for _, f := range files {
			if info, err := f.Info(); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s has mode %v (%v)", f.Name(), info.Mode(), err)
			}
		}
		must(t, s.Close())
	}
}
