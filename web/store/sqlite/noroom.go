package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/irscope/irscope/web/store"
)

// probeBytes is what noRoom tries to write: a transaction of some pages.
const probeBytes = 64 << 10

// noRoom finds out why a write to the database failed. SQLite knows the full disk only; that a quota or the limit on the size of a
// file is reached it reports as a failed write like any other. So the same is tried with a file beside it, as far behind
// the beginning as the longest of ours ends.
func noRoom(path string, err error) error {
	if code(err) != sqlite3.SQLITE_IOERR {
		return err
	}
	var end int64
	for _, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			end = max(end, info.Size())
		}
	}
	if why := tryWrite(filepath.Dir(path), end); why != nil {
		return fmt.Errorf("%w: %w: %w", store.ErrFull, why, err)
	}
	return err
}

// tryWrite writes to a new file in a folder, at an offset, and returns an error that means that there is no room, or nil.
func tryWrite(dir string, offset int64) error {
	f, err := os.CreateTemp(dir, "room-*")
	if err != nil {
		return full(err)
	}
	defer func() {
		_ = f.Close()
		_ = os.Remove(f.Name())
	}()
	if _, err := f.WriteAt(make([]byte, probeBytes), offset); err != nil {
		return full(err)
	}
	return full(f.Sync())
}

// full returns an error if it means that there is no room, else nil.
func full(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return errors.New("the disk has no room")
	case errors.Is(err, syscall.EDQUOT):
		return errors.New("the disk quota is used up")
	case errors.Is(err, syscall.EFBIG):
		return errors.New("a file has reached its size limit (ulimit -f)")
	}
	return nil
}
