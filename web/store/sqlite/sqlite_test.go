package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/store"
	"github.com/irscope/irscope/web/store/storetest"
)

// open opens a database for the time of a test.
func open(t testing.TB, o Options) *Store {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// text returns a text that is like the one before it.
func text(v, lines int) store.Text {
	var b bytes.Buffer
	for i := range lines {
		if i%20 == v%20 {
			fmt.Fprintf(&b, "    lv%d: R.Tensor((1, %d), dtype=\"float32\") = R.multiply(lv%d, w%d)\n", i, v, i-1, v*i)
		} else {
			fmt.Fprintf(&b, "    lv%d: R.Tensor((1, 16), dtype=\"float32\") = R.add(lv%d, w%d)\n", i, i-1, i*7919%1000)
		}
	}
	return store.Text{Hash: event.HashBytes(b.Bytes()), Language: event.LangTVMScript, Data: b.Bytes()}
}

func TestConformance(t *testing.T) {
	storetest.Conform(t, func(t *testing.T) store.Store {
		return open(t, Options{MaxBytes: storetest.Limit, noSync: true})
	})
}

// TestCopyAsAfterKill copies the files while the store is open, as a kill leaves them: what was
// acknowledged is in the copy.
func TestCopyAsAfterKill(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	s := open(t, Options{Dir: dir})
	must(t, s.CreateSession(ctx, store.Session{ID: "s", Title: "t"}))
	must(t, s.CreateRun(ctx, store.Run{ID: "r"}))
	var texts []store.Text
	for i := range 40 {
		v := text(i, 30)
		if i > 0 {
			v.Base = texts[i-1].Hash
		}
		texts = append(texts, v)
		must(t, s.AppendEvents(ctx, "r", i, [][]byte{fmt.Append(nil, "event ", i)}, v))
		if i%8 != 7 {
			continue
		}
		to := t.TempDir()
		for _, name := range []string{FileName, FileName + "-wal"} {
			data, err := os.ReadFile(filepath.Join(dir, name))
			must(t, err)
			must(t, os.WriteFile(filepath.Join(to, name), data, 0o600))
		}
		c, err := Open(ctx, Options{Dir: to})
		must(t, err)
		lines, err := c.Events(ctx, "r", 0)
		must(t, err)
		if len(lines) != i+1 || string(lines[i]) != fmt.Sprint("event ", i) {
			t.Errorf("after event %d the copy has %d, the last is %q", i, len(lines), lines[len(lines)-1])
		}
		for _, v := range texts {
			if b, err := c.Blob(ctx, v.Hash); err != nil || !bytes.Equal(b.Data, v.Data) {
				t.Errorf("text %s: %v", v.Hash, err)
			}
		}
		if got, err := c.Session(ctx, "s"); err != nil || got.Title != "t" {
			t.Errorf("session: %+v, %v", got, err)
		}
		must(t, c.Close())
	}
}

func TestOneProcessAtATime(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), Options{Dir: dir})
	must(t, err)
	if _, err := Open(t.Context(), Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "in use by another process") {
		t.Errorf("the second gets %v", err)
	}
	must(t, s.Close())
	if err := s.CreateRun(t.Context(), store.Run{ID: "r"}); !errors.Is(err, errClosed) {
		t.Errorf("writing to a closed store: %v", err)
	}
	open(t, Options{Dir: dir})
}

func TestFilesThatAreNotOurs(t *testing.T) {
	for want, statement := range map[string]string{
		"newer version of this program (schema 99": "PRAGMA user_version = 99",
		"another program":                          "PRAGMA application_id = 5",
		"want 1 to":                                "PRAGMA user_version = 0",
	} {
		dir := t.TempDir()
		s, err := Open(t.Context(), Options{Dir: dir})
		must(t, err)
		must(t, s.w.submit(t.Context(), &change{do: func(x *tx) error { return x.exec(statement) }}))
		must(t, s.Close())
		if _, err = Open(t.Context(), Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("after %s: %v, want %q", statement, err, want)
		}
	}
	if _, err := Open(t.Context(), Options{Dir: t.TempDir(), MaxBytes: 5}); err == nil || !strings.Contains(err.Error(), "1048576") {
		t.Errorf("a store of 5 bytes: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	if _, err := Open(t.Context(), Options{Dir: file}); err == nil {
		t.Error("a file was taken for a folder")
	}
}

// TestMigration opens a file of an older schema.
func TestMigration(t *testing.T) {
	dir := t.TempDir() + "/a ?b#c%20d" // a path that must be escaped
	s := open(t, Options{Dir: dir})
	must(t, s.CreateSession(t.Context(), store.Session{ID: "s"}))
	ctx := t.Context()
	conn, err := s.read.Conn(ctx)
	must(t, err)
	defer func() { must(t, conn.Close()) }()
	_, err = conn.ExecContext(ctx, "PRAGMA query_only = 0")
	must(t, err)
	steps := append(migrations(), "ALTER TABLE session ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'")
	version, err := identify(ctx, conn, len(steps))
	must(t, err)
	if err := migrate(ctx, conn, version, append(steps, "no SQL")); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("from %d to %d", len(steps), len(steps)+1)) {
		t.Errorf("a step that fails gives %v", err)
	}
	var colour string
	must(t, conn.QueryRowContext(ctx, "SELECT colour FROM session").Scan(&colour))
	if version, err = identify(ctx, conn, len(steps)); err != nil || version != len(steps) || colour != "red" {
		t.Errorf("version is %d (%v), the new column %q", version, err, colour)
	}
}

// fill appends events to the run r, each with a text that cannot be packed, until the store refuses one, and returns their number and the
// refusal.
func fill(t *testing.T, s *Store) (stored int, err error) {
	t.Helper()
	for stored < 100 {
		data := bytes.Repeat([]byte{byte(stored)}, 5)
		for len(data) < 40_000 {
			data = fmt.Append(data, event.HashBytes(data))
		}
		text := store.Text{Hash: event.HashBytes(data), Language: event.LangPlain, Data: data}
		if err := s.AppendEvents(t.Context(), "r", stored, [][]byte{fmt.Append(nil, stored)}, text); err != nil {
			return stored, err
		}
		stored++
	}
	return stored, nil
}

func TestDiskFull(t *testing.T) {
	s, ctx := open(t, Options{}), t.Context()
	pragma := func(format string, args ...any) {
		must(t, s.w.submit(ctx, &change{do: func(x *tx) error {
			var n int64
			_, err := x.row([]any{&n}, fmt.Sprintf(format, args...))
			return err
		}}))
	}
	must(t, s.CreateRun(ctx, store.Run{ID: "r"}))
	pragma("PRAGMA max_page_count = 300")
	stored, err := fill(t, s)
	if !errors.Is(err, store.ErrFull) || !strings.Contains(err.Error(), "the disk has no room") {
		t.Fatalf("after %d events: %v", stored, err)
	}
	lines, err := s.Events(ctx, "r", 0)
	if err != nil || len(lines) != stored || stored < 5 {
		t.Errorf("%d events, want %d (%v)", len(lines), stored, err)
	}
	pragma("PRAGMA max_page_count = 100000")
	must(t, s.AppendEvents(ctx, "r", stored, [][]byte{[]byte("again")}))
	must(t, s.FinishRun(ctx, store.Run{ID: "r", Status: "ok"}, true))
}

func TestDamageIsNoticed(t *testing.T) {
	for name, statement := range map[string]string{
		"bytes of a text":        "UPDATE blob SET data = zeroblob(50)",
		"another text":           "UPDATE blob SET data = (SELECT data FROM blob other WHERE other.base IS NULL LIMIT 1), base = NULL WHERE base IS NOT NULL",
		"a circle of texts":      "UPDATE blob SET base = n",
		"bytes of events":        "UPDATE event SET data = zeroblob(50)",
		"a missing event":        "DELETE FROM event WHERE first = 1",
		"a missing last event":   "DELETE FROM event WHERE first = 2",
		"a number of events":     "UPDATE event SET count = 2 WHERE first = 2",
		"a number of bytes less": "UPDATE event SET data = substr(data, 1, length(data) - 1)",
	} {
		t.Run(name, func(t *testing.T) {
			s, ctx := open(t, Options{noSync: true}), t.Context()
			must(t, s.CreateRun(ctx, store.Run{ID: "r"}))
			var last store.Text
			for i := range 3 {
				v := text(i, 30)
				v.Base = last.Hash
				last = v
				must(t, s.AppendEvents(ctx, "r", i, [][]byte{fmt.Append(nil, "event ", i)}, v))
			}
			must(t, s.w.submit(ctx, &change{do: func(x *tx) error { return x.exec(statement) }}))
			for i := range 3 {
				s.texts.Drop(text(i, 30).Hash)
			}
			_, err := s.Blob(ctx, last.Hash)
			_, err2 := s.Events(ctx, "r", 0)
			if strings.Contains(statement, "blob SET") == (err == nil) || strings.Contains(statement, " event ") == (err2 == nil) {
				t.Errorf("text: %v, events: %v", err, err2)
			}
			if err = errors.Join(err, err2); !strings.Contains(err.Error(), "damaged") {
				t.Errorf("the error does not say what is wrong: %v", err)
			}
		})
	}
}

// TestTextsGoWithTheirLastReader drops runs whose texts are dictionaries of others'.
func TestTextsGoWithTheirLastReader(t *testing.T) {
	s, ctx := open(t, Options{noSync: true}), t.Context()
	var texts []store.Text
	const n = 100
	for i := range n {
		id := fmt.Sprint("r", i)
		must(t, s.CreateRun(ctx, store.Run{ID: id}))
		v := text(i, 30)
		if i > 0 {
			v.Base = texts[i-1].Hash
		}
		texts = append(texts, v)
		must(t, s.AppendEvents(ctx, id, 0, nil, v))
		must(t, s.FinishRun(ctx, store.Run{ID: id, Status: "ok"}, false))
	}
	count := func(what string) (n int) {
		must(t, s.read.QueryRow("SELECT "+what+" FROM blob").Scan(&n))
		return n
	}
	if depth, based := count("max(depth)"), count("count(base)"); depth != maxChain-1 || based < n*9/10 {
		t.Errorf("chains have up to %d texts, %d of %d stand on another", depth+1, based, n)
	}
	drop := func(i int) {
		must(t, s.w.submit(ctx, &change{do: func(x *tx) error { return x.dropRun(int64(i + 1)) }}))
		s.texts.Drop(texts[i].Hash)
	}
	for i := 0; i < n; i += 2 {
		drop(i)
	}
	for i, v := range texts {
		b, err := s.Blob(ctx, v.Hash)
		if i%2 == 0 && !errors.Is(err, store.ErrNotFound) || i%2 == 1 && (err != nil || !bytes.Equal(b.Data, v.Data)) {
			t.Errorf("text %d: %v", i, err)
		}
	}
	for i := 1; i < n; i += 2 {
		drop(i)
	}
	if left := count("count(*)"); left != 0 {
		t.Errorf("%d texts are left that nobody keeps", left)
	}
}

func TestPackRoundTrip(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		base := rapid.SliceOfN(rapid.ByteRange('a', 'd'), 1, 200).Draw(t, "base")
		base = bytes.Repeat(base, rapid.IntRange(1, 2000).Draw(t, "times"))
		data := bytes.Clone(base)
		for range rapid.IntRange(0, 5).Draw(t, "edits") {
			at := rapid.IntRange(0, len(data)).Draw(t, "at")
			data = append(data[:at:at], append(rapid.SliceOfN(rapid.Byte(), 0, 50).Draw(t, "new"), data[min(len(data), at+rapid.IntRange(0, 5000).Draw(t, "gap")):]...)...)
		}
		for _, dict := range [][]byte{nil, base} {
			frame, err := pack(data, dict)
			if err != nil {
				t.Fatal(err)
			}
			back, err := unpack(frame, dict)
			if err != nil || !bytes.Equal(back, data) {
				t.Fatalf("%d bytes come back as %d: %v", len(data), len(back), err)
			}
		}
	})
}
