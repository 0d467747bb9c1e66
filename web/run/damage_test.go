package run_test

import (
	"context"
	"errors"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// damaged is a store in which the log of every run is good up to a number.
type damaged struct {
	store.Store
	lines [][]byte
	good  int
}

// Events implements store.Store.
func (d damaged) Events(context.Context, string, int) ([][]byte, error) {
	return d.lines[:d.good], &store.Damage{Good: d.good, Err: errors.New("bits have rotted")}
}

// TestStoredEventsOfADamagedRun: the good part is shown, closed by an end that says what is missing, and stays a log like any other.
func TestStoredEventsOfADamagedRun(t *testing.T) {
	var lines [][]byte
	for i, e := range []event.Event{
		event.New("", "", &event.RunStarted{Model: "m"}, nil),
		event.New("1/A", "", &event.PassStarted{Name: "A"}, nil),
		event.New("1/A", "", &event.PassFinished{Name: "A", Changed: true}, nil),
		event.New("2/B", "", &event.PassStarted{Name: "B"}, nil),
		event.New("2/B", "", &event.PassFinished{Name: "B"}, nil),
		event.New("", "", &event.RunFinished{Status: event.StatusOK, Changed: 1, Same: 1}, nil),
	} {
		e.Seq = i
		enc, err := event.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, enc.Line)
	}
	for good, ends := range map[int]int{0: 1, 1: 1, 2: 2, 3: 1, 4: 2, 5: 1, 6: 0} {
		got, err := run.StoredEvents(t.Context(), damaged{store.NewMemory(1 << 20), lines, good}, "r")
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != good+ends {
			t.Errorf("of %d good events %d are shown, want %d", good, len(got), good+ends)
			continue
		}
		for i, line := range got {
			e, err := event.Decode(line)
			if err != nil || e.Seq != i {
				t.Errorf("of %d good events number %d is %+v (%v)", good, i, e, err)
			}
			if i < good && string(line) != string(lines[i]) {
				t.Errorf("event %d has changed to %s", i, line)
			}
			if done, ok := e.Body.(*event.RunFinished); i == len(got)-1 && good < 6 {
				if !ok || done.Status != event.StatusFailed || done.Error == nil || done.Error.Kind != event.KindDamaged {
					t.Errorf("of %d good events the last is %s", good, line)
				}
			}
			if failed, ok := e.Body.(*event.PassFailed); i == good && ends == 2 && (!ok || failed.Error.Kind != event.KindDamaged) {
				t.Errorf("the open pass ends with %s", line)
			}
		}
	}
	want := errors.New("no run")
	if _, err := run.StoredEvents(t.Context(), failing{store.NewMemory(1 << 20), want}, "r"); !errors.Is(err, want) {
		t.Errorf("another error becomes %v", err)
	}
}

// failing is a store without events.
type failing struct {
	store.Store
	err error
}

// Events implements store.Store.
func (f failing) Events(context.Context, string, int) ([][]byte, error) { return nil, f.err }
