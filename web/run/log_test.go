package run_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

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
	var kept *run.Snapshot[string]
	m, st := manager(t, runnerFunc(func(_ context.Context, req run.Request, sink run.Sink) error {
		if kept != nil {
			if ok, err := run.KeepTexts(sink, kept.Events); !ok || err != nil {
				return fmt.Errorf("texts are kept: %t, %w", ok, err)
			}
			return run.Replay(sink, *kept, "1/A", "", 30)
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
		kept = &run.Snapshot[string]{Module: "m", Events: steps, Took: 100}
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
	if ok, err := run.KeepTexts(goneSink{}, steps); ok || err != nil {
		t.Errorf("texts that are gone give %t, %v", ok, err)
	}
}

// goneSink is a Sink whose store has forgotten all texts.
type goneSink struct{ run.Sink }

func (goneSink) Keep([]string) (bool, error) { return false, nil }
