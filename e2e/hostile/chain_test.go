package hostile

import (
	"testing"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/event"
)

// deaf is a sink that takes events and texts and drops them.
type deaf struct{ events, texts int }

func (d *deaf) Emit(e event.Event) error {
	d.events++
	_, err := event.Encode(e)
	return err
}

func (d *deaf) Text(_, text string) (string, error) {
	d.texts += len(text)
	return event.HashText(text), nil
}

// grow compiles models of n and 10n nodes with all instruments and fails if the time of any
// pass, or of the whole, grows much faster than the model.
func grow(t *testing.T, small, big []byte, level int) {
	t.Helper()
	times := func(data []byte) (map[string]time.Duration, time.Duration) {
		m, err := load(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		steps := map[string]time.Duration{}
		var began time.Duration
		watch := &pass.Instrument{
			Name:          "watch",
			RunBeforePass: func(*ir.Module, *pass.Step) error { began = cpuTime(); return nil },
			RunAfterPass: func(_ *ir.Module, s *pass.Step) error {
				if s.Pass.Kind != pass.Sequential {
					steps[s.Path()] += cpuTime() - began
				}
				return nil
			},
		}
		rec := instruments.NewRecorder(&deaf{}, instruments.NewSnapshots())
		start := cpuTime()
		_, err = compiler.Compile(t.Context(), compiler.Request{
			Module: m, OptLevel: &level, Instruments: []*pass.Instrument{rec.Instrument(), instruments.WellFormed(false), watch},
		})
		if err != nil {
			t.Fatal(err)
		}
		return steps, cpuTime() - start
	}
	few, fewTotal := times(small)
	many, manyTotal := times(big)
	// Ten times the size may take thirty times as long (caches, garbage collection, a busy
	// machine); a quadratic pass takes a hundred times as long.
	const factor = 30
	for step, d := range many {
		if d > factor*max(few[step], 10*time.Millisecond) {
			t.Errorf("%s takes %v, and %v for a tenth of the nodes", step, d, few[step])
		}
	}
	if manyTotal > factor*fewTotal {
		t.Errorf("the compiler takes %v, and %v for a tenth of the nodes", manyTotal, fewTotal)
	}
	t.Logf("%v, and %v for a tenth of the nodes", manyTotal, fewTotal)
}

// TestLongChains compiles chains of up to 10^5 nodes: no stack may overflow and no pass may
// be quadratic.
func TestLongChains(t *testing.T) {
	seed.Nightly(t)
	for _, c := range []struct {
		name  string
		nodes int
		ops   []string
		level int
	}{
		{"elementwise", 100_000, []string{"Relu", "Add", "Sigmoid", "Mul", "Neg"}, 2},
		{"unfused", 30_000, []string{"Relu"}, 0},
		{"reductions", 20_000, []string{"Softmax", "Relu"}, 3},
	} {
		t.Run(c.name, func(t *testing.T) { grow(t, chain(c.nodes/10, c.ops...), chain(c.nodes, c.ops...), c.level) })
	}
}

// TestWideModels compiles a sum of many inputs.
func TestWideModels(t *testing.T) {
	if testing.Short() {
		t.Skip("30,000 inputs are too many for -short")
	}
	grow(t, manyInputs(3_000), manyInputs(30_000), 2)
}
