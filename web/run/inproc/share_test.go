package inproc_test

import (
	"sync"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/irscope/irscope/web/store"
)

// bodiesOf is a sink that hashes the bodies of what it is told. The texts are those of all runs.
type bodiesOf struct {
	*event.Hasher
	n int
}

func (s *bodiesOf) Emit(e event.Event) error {
	e.Seq = s.n
	s.n++
	enc, err := event.Encode(e)
	if err == nil {
		s.Add(enc)
	}
	return err
}

func (*bodiesOf) Text(_, text string) (string, error) { return event.HashText(text), nil }
func (*bodiesOf) Keep([]string) (bool, error)         { return true, nil }
func (*bodiesOf) Account(int64) error                 { return nil }

// TestRunsAtOnceShareWhatIsKept: several run with one memory, which has room for all or for a part of it; each says what a run by
// itself says.
func TestRunsAtOnceShareWhatIsKept(t *testing.T) {
	eng := compiler.NewEngine()
	t.Cleanup(func() {
		if err := eng.Close(); err != nil {
			t.Error(err)
		}
	})
	open := func(bytes int64) *inproc.Runner {
		return inproc.New(inproc.Config{Store: store.NewMemory(1 << 20), Gallery: inproc.Gallery, Engine: eng, CacheBytes: bytes})
	}
	play := func(r *inproc.Runner, off string) string {
		s := run.Settings{OptLevel: 2}
		if off != "" {
			s.Disabled = []string{off}
		}
		sink := &bodiesOf{Hasher: event.NewHasher()}
		if err := r.Run(t.Context(), run.Request{Source: gallery("mlp"), Settings: s, Limits: run.DefaultLimits()}, sink); err != nil {
			t.Error(off, err)
		}
		return sink.Sum()
	}
	offs := []string{"", "FuseOps", "FoldConstant", "StaticPlanBlockMemory"}
	want := map[string]string{}
	for _, off := range offs {
		want[off] = play(open(-1), off)
	}
	for _, bytes := range []int64{0, 1 << 20} {
		r := open(bytes)
		var wg sync.WaitGroup
		for i := range 2 * len(offs) {
			wg.Go(func() {
				for j := range 2 {
					off := offs[(i+j)%len(offs)]
					if got := play(r, off); got != want[off] {
						t.Errorf("with %d bytes, without %q: the bodies differ from those of a run by itself", bytes, off)
					}
				}
			})
		}
		wg.Wait()
		if used := r.Remembered(); used == 0 || bytes > 0 && used > bytes {
			t.Errorf("%d bytes are kept of at most %d", used, bytes)
		}
	}
	if len(want) != len(offs) || want[""] == want["FuseOps"] {
		t.Errorf("the runs say %v", want)
	}
}
