package sqlite

import (
	"bytes"
	"testing"
	"time"

	"github.com/irscope/irscope/e2e/fixture/goal"
	"github.com/irscope/irscope/instruments/event"
)

// TestReplay reads 300 events and their 23 MB of texts from a file that another process might
// have written: every byte is as it was, and it does not take long.
func TestReplay(t *testing.T) {
	dir := t.TempDir()
	texts := replaySample(t, dir)
	began := time.Now()
	s, err := Open(t.Context(), Options{Dir: dir})
	must(t, err)
	defer func() { must(t, s.Close()) }()
	lines, err := s.Events(t.Context(), "r", 0)
	must(t, err)
	got := make([][]byte, len(texts))
	for i, text := range texts {
		b, err := s.Blob(t.Context(), text.Hash)
		must(t, err)
		got[i] = b.Data
	}
	goal.Time(t, "replay of 300 events with 23 MB of texts", time.Since(began), 500*time.Millisecond)
	if len(lines) != replayed {
		t.Fatalf("%d events, want %d", len(lines), replayed)
	}
	for i, line := range lines {
		if !bytes.Equal(line, text(i, 20).Data) {
			t.Fatalf("event %d is not what was stored", i)
		}
		if !bytes.Equal(got[i], texts[i].Data) || event.HashBytes(got[i]) != texts[i].Hash {
			t.Fatalf("text %d is not what was stored", i)
		}
	}
}
