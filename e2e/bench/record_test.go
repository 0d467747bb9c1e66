package bench

import (
	"testing"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/target"
)

// BenchmarkRecord tells a recorder and a verifier of the compilation of light models once more, without the passes: what
// BenchmarkCompile measures in between them, alone, so that a profile shows nothing else.
func BenchmarkRecord(b *testing.B) {
	for _, name := range []string{"light_resnet50", "light_densenet121"} {
		first, told := compilation(b, importModel(b, light(b, name)))
		pl, err := pipeline.Lookup("default", target.Default())
		must(b, err)
		b.Run(name+"/record", func(b *testing.B) {
			b.ReportAllocs()
			measure(b, func() {
				snaps := instruments.NewSnapshots()
				rec := instruments.NewRecorder(&sink{}, snaps)
				keepHistory(rec, snaps)
				must(b, rec.Start(first, pl, &event.RunStarted{}))
				told.tell(b, rec.Instrument())
			})
		})
		b.Run(name+"/verify", func(b *testing.B) {
			b.ReportAllocs()
			measure(b, func() { told.tell(b, instruments.WellFormed(false)) })
		})
	}
}

// measure runs f again and again and reports the processor time of one turn.
func measure(b *testing.B, f func()) {
	var spent time.Duration
	for b.Loop() {
		start := processTime()
		f()
		spent += processTime() - start
	}
	b.ReportMetric(spent.Seconds()*1000/float64(b.N), "cpu-ms")
}

// call is what the instruments of a compilation are told of a step: that it begins, or that it ended with a module.
type call struct {
	step  *pass.Step
	mod   *ir.Module
	ended bool
}

type calls []call

// compilation compiles a model, and returns it with what instruments are told.
func compilation(b *testing.B, m *ir.Module) (*ir.Module, calls) {
	b.Helper()
	var out calls
	first := (*ir.Module)(nil)
	keep := func(ended bool) func(*ir.Module, *pass.Step) error {
		return func(m *ir.Module, s *pass.Step) error {
			if first == nil {
				first = m
			}
			out = append(out, call{s, m, ended})
			return nil
		}
	}
	_, err := compiler.Passes(b.Context(), compiler.Request{Module: m, Instruments: []*pass.Instrument{
		{Name: "keep", RunBeforePass: keep(false), RunAfterPass: keep(true)},
	}})
	must(b, err)
	return first, out
}

// tell tells an instrument.
func (list calls) tell(b *testing.B, in *pass.Instrument) {
	b.Helper()
	for _, c := range list {
		f := in.RunBeforePass
		if c.ended {
			f = in.RunAfterPass
		}
		if f != nil {
			must(b, f(c.mod, c.step))
		}
	}
}
