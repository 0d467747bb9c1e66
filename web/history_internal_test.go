package web

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/history"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// logOf returns the log of a run that kept the given steps as texts, and the store with them. A
// nil step is a text that is gone.
func logOf(t *testing.T, sealed bool, steps ...*history.Step) (*run.Log, store.Store) {
	t.Helper()
	st := store.NewMemory(64 << 20)
	var lines [][]byte
	for i, s := range steps {
		hash := event.HashText("gone")
		if s != nil {
			data, err := history.Encode(s)
			if err != nil {
				t.Fatal(err)
			}
			hash = event.HashBytes(data)
			if err := st.CreateRun(t.Context(), store.Run{ID: hash}); err != nil {
				t.Fatal(err)
			}
			if _, err := st.PutBlob(t.Context(), hash, event.LangHistory, data); err != nil {
				t.Fatal(err)
			}
		}
		e := event.New([]string{"", "1.1/A", "1.2/B", "1.3/C"}[i], "", &event.PassFinished{Name: "P", History: hash}, nil)
		if i == 0 {
			e = event.New("", "", &event.RunStarted{History: hash}, nil)
		}
		e.Seq = i
		enc, err := event.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, enc.Line)
	}
	if sealed {
		return run.SealedLog(lines), st
	}
	log := run.NewLog()
	for _, l := range lines {
		if err := log.Append(l); err != nil {
			t.Fatal(err)
		}
	}
	return log, st
}

func step(names ...string) *history.Step {
	s := &history.Step{Names: append(names, ""), Sets: [][]uint32{{1}}}
	f := history.Function{Name: "main"}
	for i := range names {
		f.Rows = append(f.Rows, history.Row{Line: i + 1, Kind: history.Binding, Name: i, Op: len(names)})
	}
	s.Functions = []history.Function{f}
	return s
}

// TestHistoryThatIsCut reads a log with steps that hold no tables: they are named, the others are
// read with the path that the log gives them, and what comes later is added.
func TestHistoryThatIsCut(t *testing.T) {
	first := step("a")
	first.Roots = []history.Root{{ID: 1, Name: "A", Op: "Add"}}
	log, st := logOf(t, false, first, &history.Step{Truncated: true}, nil, step("b", "c"))
	l := newLives()
	grown, sealed, err := l.read(t.Context(), log, st)
	if err != nil || !grown || sealed || !l.recorded {
		t.Fatalf("read: grown %v, sealed %v, recorded %v, %v", grown, sealed, l.recorded, err)
	}
	if want := []string{"1.1/A", "1.2/B"}; !slices.Equal(l.cut, want) {
		t.Errorf("cut %q, want %q", l.cut, want)
	}
	f, err := l.h.Named("A")
	if err != nil {
		t.Fatal(err)
	}
	es := l.h.Of(f)
	if len(es) != 2 || es[0].Path != history.ImportStep || es[1].Path != "1.3/C" || es[1].Pass != "P" || es[1].Verb != history.Split {
		t.Errorf("entries %+v", es)
	}
	if grown, _, err := l.read(t.Context(), log, st); grown || err != nil {
		t.Errorf("read again: grown %v, %v", grown, err)
	}
	log.Seal()
	if _, sealed, err := l.read(t.Context(), log, st); !sealed || err != nil {
		t.Errorf("read to the end: sealed %v, %v", sealed, err)
	}
}

// TestHistoryBeyondItsLimit leaves out the steps that would make the tables of a run too large.
func TestHistoryBeyondItsLimit(t *testing.T) {
	log, st := logOf(t, true, step("a"), step("b"))
	l := newLives()
	l.cells = history.MaxCells - 3
	if _, _, err := l.read(t.Context(), log, st); err != nil {
		t.Fatal(err)
	}
	if want := []string{"1.1/A"}; !slices.Equal(l.cut, want) || l.cells > history.MaxCells {
		t.Errorf("cut %q with %d cells, want %q", l.cut, l.cells, want)
	}
}

// TestHistoryThatWasNotKept reads the log of a version that kept none.
func TestHistoryThatWasNotKept(t *testing.T) {
	line, err := json.Marshal(event.New("", "", &event.RunStarted{Model: `"history":"`}, nil))
	if err != nil {
		t.Fatal(err)
	}
	l := newLives()
	if _, _, err := l.read(t.Context(), run.SealedLog([][]byte{line}), store.NewMemory(1<<20)); err != nil || l.recorded {
		t.Errorf("recorded %v, %v", l.recorded, err)
	}
}
