package sqlite

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/irscope/irscope/web/store"
)

// BenchmarkAppend measures an event of 2 KB from the call until it is on the disk, for some
// runs at once.
func BenchmarkAppend(b *testing.B) {
	line := text(1, 25).Data
	for _, writers := range []int{1, 8} {
		b.Run(fmt.Sprint("writers=", writers), func(b *testing.B) {
			s, ctx := open(b, Options{}), b.Context()
			b.ReportAllocs()
			var left atomic.Int64
			round := 0
			for b.Loop() {
				// One iteration is one event of each writer.
				if round == 0 {
					for w := range writers {
						must(b, s.CreateRun(ctx, store.Run{ID: fmt.Sprint("r", w)}))
					}
				}
				var wg sync.WaitGroup
				for w := range writers {
					wg.Go(func() {
						left.Add(1)
						if err := s.AppendEvents(ctx, fmt.Sprint("r", w), round, [][]byte{line}); err != nil {
							b.Error(err)
						}
					})
				}
				wg.Wait()
				round++
			}
			b.ReportMetric(float64(left.Load())/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// replayed is a run of 300 events, each with a text of 83 KB that differs from the one
// before in one line of twenty.
const replayed, replayedLines = 300, 1150

func replaySample(b testing.TB, dir string) (texts []store.Text) {
	b.Helper()
	s, err := Open(b.Context(), Options{Dir: dir, noSync: true})
	must(b, err)
	must(b, s.CreateRun(b.Context(), store.Run{ID: "r"}))
	var size int64
	for i := range replayed {
		v := text(i, replayedLines)
		if i > 0 {
			v.Base = texts[i-1].Hash
		}
		texts = append(texts, v)
		size += int64(len(v.Data))
		must(b, s.AppendEvents(b.Context(), "r", i, [][]byte{text(i, 20).Data}, v))
	}
	used, err := s.Used(b.Context())
	must(b, err)
	b.Logf("%d events with %.1f MB of text take %.2f MB", replayed, float64(size)/1e6, float64(used)/1e6)
	must(b, s.Close())
	return texts
}

// BenchmarkReplay reads the events and all texts of a run after a start, hashes checked.
func BenchmarkReplay(b *testing.B) {
	dir := b.TempDir()
	texts := replaySample(b, dir)
	for b.Loop() {
		s, err := Open(b.Context(), Options{Dir: dir})
		must(b, err)
		lines, err := s.Events(b.Context(), "r", 0)
		must(b, err)
		if len(lines) != replayed {
			b.Fatalf("%d events", len(lines))
		}
		for _, t := range texts {
			got, err := s.Blob(b.Context(), t.Hash)
			must(b, err)
			if len(got.Data) != len(t.Data) {
				b.Fatalf("text of %d bytes, want %d", len(got.Data), len(t.Data))
			}
		}
		must(b, s.Close())
	}
}

// BenchmarkDeepText reads the last text of a chain and nothing else.
func BenchmarkDeepText(b *testing.B) {
	s, ctx := open(b, Options{noSync: true}), b.Context()
	must(b, s.CreateRun(ctx, store.Run{ID: "r"}))
	var texts []store.Text
	for i := range maxChain {
		v := text(i, replayedLines)
		if i > 0 {
			v.Base = texts[i-1].Hash
		}
		texts = append(texts, v)
		must(b, s.AppendEvents(ctx, "r", i, nil, v))
		must(b, s.AppendEvents(ctx, "r", i, [][]byte{nil}))
	}
	for b.Loop() {
		for _, v := range texts {
			s.texts.Drop(v.Hash)
		}
		_, err := s.Blob(ctx, texts[len(texts)-1].Hash)
		must(b, err)
	}
}
