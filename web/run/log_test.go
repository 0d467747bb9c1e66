package run_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
)

func TestReadersFollowTheLog(t *testing.T) {
	const n = 500
	log := run.NewLog()
	var wg sync.WaitGroup
	for from := range 8 {
		wg.Go(func() {
			seq := from * 10
			for {
				lines, sealed, err := log.Next(t.Context(), seq)
				if err != nil {
					t.Error(err)
					return
				}
				for _, l := range lines {
					if want := fmt.Sprint(seq); string(l) != want {
						t.Errorf("event %s stands at %s", l, want)
						return
					}
					seq++
				}
				if sealed && len(lines) == 0 {
					break
				}
			}
			if seq != n {
				t.Errorf("reader from %d ends at %d, want %d", from*10, seq, n)
			}
		})
	}
	for i := range n {
		if err := log.Append(fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
	}
	log.Seal()
	wg.Wait()
	if err := log.Append(nil); !errors.Is(err, run.ErrSealed) {
		t.Errorf("append to a sealed log gives %v", err)
	}
	if lines, sealed, err := log.Next(t.Context(), n+5); err != nil || !sealed || len(lines) != 0 {
		t.Errorf("reading behind the end gives %d lines, sealed %t, error %v", len(lines), sealed, err)
	}
}

func TestReaderStopsWithItsContext(t *testing.T) {
	gone := errors.New("viewer left")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	if _, _, err := run.NewLog().Next(ctx, 0); !errors.Is(err, gone) {
		t.Errorf("got %v, want the cause of the context", err)
	}
}

func TestReplayMarksEventsAndKeepsTexts(t *testing.T) {
	var steps []event.Event
	var texts []string // that a second run keeps
	m, st := manager(t, runnerFunc(func(_ context.Context, req run.Request, sink run.Sink) error {
		if texts != nil {
			if ok, err := sink.Keep(texts); !ok || err != nil {
				return fmt.Errorf("texts are kept: %t, %w", ok, err)
			}
			for _, e := range steps {
				e.Reused = true
				if e.Measured != nil {
					e.Measured = &event.Measured{Total: e.Measured.Total, Saved: 70}
				}
				if err := sink.Emit(e); err != nil {
					return err
				}
			}
			return nil
		}
		text, err := sink.Text(event.LangTVMScript, "def f(): pass")
		if err != nil {
			return err
		}
		steps = []event.Event{
			event.New("1/A", "", &event.Diagnostic{Message: "note"}, nil),
			event.New("1/A", "", &event.PassFinished{Name: "A", Changed: true, Functions: []event.FunctionChange{{Name: "f", After: text}}}, &event.Measured{Total: 7}),
		}
		for _, e := range steps {
			if err := sink.Emit(e); err != nil {
				return err
			}
		}
		for _, e := range steps {
			texts = append(texts, event.Texts(e)...)
		}
		return nil
	}), nil)
	a, b := start(t, m, "v", "s", request("a")), run.Info{}
	first := read(t, m, a.ID)
	b = start(t, m, "v", "s", request("b"))
	second := read(t, m, b.ID)
	if !second[1].Reused || second[1].Measured.Total != 7 || second[1].Measured.Saved != 70 || second[2].Measured.ReusedSteps != 1 || second[2].Measured.Saved != 70 {
		t.Errorf("replayed event is %+v, end %+v", second[1], second[2].Measured)
	}
	ra, errA := st.Run(t.Context(), a.ID)
	eventually(t, "runs are stored", func() bool {
		ra, errA = st.Run(t.Context(), a.ID)
		rb, errB := st.Run(t.Context(), b.ID)
		return errA == nil && errB == nil && ra.Hash != "" && ra.Hash == rb.Hash
	})
	if len(first) != len(second) {
		t.Errorf("%d events, replayed %d", len(first), len(second))
	}
}

// TestAppendsAtOnce loses an event where two writers meet without a lock: so many of them meet that it shows without the race
// detector, too.
func TestAppendsAtOnce(t *testing.T) {
	const writers, each = 8, 20_000
	log := run.NewLog()
	var ready, wg sync.WaitGroup
	ready.Add(writers)
	for w := range writers {
		wg.Go(func() {
			ready.Done()
			ready.Wait()
			for i := range each {
				if err := log.Append([]byte{byte(w), byte(i >> 16), byte(i >> 8), byte(i)}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if n, sealed := log.Len(); n != writers*each || sealed || log.Bytes() != 4*writers*each {
		t.Fatalf("%d events of %d bytes, closed %t; want %d of 4 bytes each", n, log.Bytes(), sealed, writers*each)
	}
	lines, _, err := log.Next(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	var next [writers]int
	for _, l := range lines {
		w, i := l[0], int(l[1])<<16|int(l[2])<<8|int(l[3])
		if i != next[w] {
			t.Fatalf("event %d of writer %d stands where %d should", i, w, next[w])
		}
		next[w]++
	}
}

// TestLogOfAFinishedRun has its events and its size, and takes no more.
func TestLogOfAFinishedRun(t *testing.T) {
	log := run.SealedLog([][]byte{[]byte("ab"), []byte("cde")})
	if n, sealed := log.Len(); n != 2 || !sealed || log.Bytes() != 5 {
		t.Errorf("%d events, closed %t, %d bytes", n, sealed, log.Bytes())
	}
	for from, want := range map[int]int{-1: 2, 0: 2, 1: 1, 2: 0, 3: 0} {
		if lines, sealed, err := log.Next(t.Context(), from); len(lines) != want || !sealed || err != nil {
			t.Errorf("from %d there are %d events, closed %t (%v), want %d", from, len(lines), sealed, err, want)
		}
	}
	if err := log.Append([]byte("x")); !errors.Is(err, run.ErrSealed) {
		t.Errorf("another event gives %v", err)
	}
	log.Seal()
	if n, sealed := log.Len(); n != 2 || !sealed {
		t.Errorf("closed again it has %d events, closed %t", n, sealed)
	}
}

// TestReadersDoNotSeeLaterEvents: what a reader got is not written by the events that come after it.
func TestReadersDoNotSeeLaterEvents(t *testing.T) {
	log := run.NewLog()
	for range 3 {
		_ = log.Append([]byte("a"))
	}
	mine, sealed, err := log.Next(t.Context(), 1)
	if err != nil || sealed || len(mine) != 2 || cap(mine) != 2 {
		t.Fatalf("%d events with room for %d, closed %t (%v)", len(mine), cap(mine), sealed, err)
	}
	_ = append(mine, []byte("forged"))
	_ = log.Append([]byte("b"))
	if lines, _, _ := log.Next(t.Context(), 3); string(lines[0]) != "b" {
		t.Errorf("the fourth event is %q", lines[0])
	}
}

// TestReadersAreWoken by an event and by the end, each time that they wait.
func TestReadersAreWoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := run.NewLog()
		var mu sync.Mutex
		var got []string
		for range 2 {
			go func() {
				for seq := 0; ; {
					lines, sealed, err := log.Next(t.Context(), seq)
					seq += len(lines)
					mu.Lock()
					got = append(got, fmt.Sprint(len(lines), sealed, err))
					mu.Unlock()
					if sealed || err != nil {
						return
					}
				}
			}()
		}
		event := func() { _ = log.Append(nil) }
		for i, step := range []func(){func() {}, event, event, log.Seal} {
			step()
			synctest.Wait()
			if len(got) != 2*i {
				t.Errorf("after %d news the readers got %q", i, got)
			}
		}
	})
}
