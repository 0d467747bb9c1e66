package bench

import (
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/history"
	"github.com/irscope/irscope/instruments/history/fromir"
	"github.com/irscope/irscope/instruments/linediff"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/vm"
	"github.com/irscope/irscope/target"
)

// BenchmarkCompile takes light models from the file to code that is ready to run, on one
// thread, with all instruments of the page: the stages are metrics, in processor time. "record" is
// all that the page is told of: printing, diffing, metrics, hashes, the history of values and the encoding of events. "print+diff" is
// measured on its own, in a second compilation. "verify" is the check of the module after every pass. A benchmark whose name has a target is for that one, any other for WebAssembly.
func BenchmarkCompile(b *testing.B) {
	x86, err := compiler.ForMachine(target.Of("x86"))
	for _, name := range []string{"light_resnet50", "light_densenet121", "light_resnet50 for x86", "light_densenet121 for x86"} {
		b.Run(name, func(b *testing.B) {
			model, machine, _ := strings.Cut(name, " for ")
			tgt := target.Default()
			if machine != "" {
				if err != nil {
					b.Skip(err)
				}
				tgt = x86
			}
			data := light(b, model)
			defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
			var st stages
			b.ReportAllocs()
			for b.Loop() {
				compileOnce(b, data, tgt, &st)
			}
			st.report(b)
			var total time.Duration
			for _, d := range st.total {
				total += d
			}
			var printing time.Duration
			for range 3 {
				printing += printAndDiff(b, data, tgt) / 3
			}
			b.ReportMetric(total.Seconds()*1000/float64(b.N), "total-ms")
			b.ReportMetric(float64(st.total["record"])/float64(total), "record/total")
			b.ReportMetric(float64(printing)*float64(b.N)/float64(total), "print+diff/total")
		})
	}
}

func compileOnce(b *testing.B, data []byte, tgt target.Target, st *stages) {
	b.Helper()
	var m *ir.Module
	st.do("import", func() { m = importModel(b, data) })
	var record, verify time.Duration
	snaps := instruments.NewSnapshots()
	rec := instruments.NewRecorder(&sink{}, snaps)
	keepHistory(rec, snaps)
	pl, err := pipeline.Lookup("default", tgt)
	must(b, err)
	start := processTime()
	must(b, rec.Start(m, pl, &event.RunStarted{}))
	record = processTime() - start
	begun := record
	req := compiler.Request{Module: m, Target: tgt, Pipeline: pl, Instruments: []*pass.Instrument{
		timed(rec.Instrument(), &record), timed(instruments.WellFormed(false), &verify), (&instruments.Timing{}).Instrument(),
	}}
	start = processTime()
	res, err := compiler.Passes(b.Context(), req)
	must(b, err)
	passes := processTime() - start - verify - record + begun
	st.add("passes", passes)
	st.add("record", record)
	st.add("verify", verify)
	st.do("codegen", func() {
		c, err := compiler.Compile(b.Context(), compiler.Request{Module: res.Module, Target: tgt, Pipeline: pass.NewSequential("none")})
		must(b, err)
		res.Artifact = c.Artifact
	})
	st.do("load", func() {
		eng := compiler.NewEngine()
		prog, err := res.Artifact.Open(b.Context(), eng, runtime.DeviceOptions{}, vm.Options{})
		must(b, err)
		must(b, prog.Close())
		must(b, eng.Close())
	})
}

// keepHistory makes a recorder keep the history of values, as that of a run of the page does.
func keepHistory(rec *instruments.Recorder, snaps *instruments.Snapshots) {
	hash := ""
	var text []byte
	tables := fromir.NewRecorder(snaps, func(s *history.Step) (err error) {
		text, err = history.Append(text[:0], s)
		hash = event.HashText(string(text))
		return err
	})
	rec.History = func(s *pass.Step, m *ir.Module) (string, error) {
		hash = ""
		if s == nil {
			err := tables.Start(m)
			return hash, err
		}
		err := tables.Finished(m, s)
		return hash, err
	}
}

// printAndDiff compiles with an instrument that prints what each pass changed and makes the
// hunks, and does no more. It forgets what the next pass replaced, as a recorder does. It returns the processor time of that.
func printAndDiff(b *testing.B, data []byte, tgt target.Target) time.Duration {
	b.Helper()
	var spent time.Duration
	snaps := instruments.NewSnapshots()
	var stale []instruments.FuncDelta
	hunks := &pass.Instrument{
		Name: "print and diff",
		RunAfterPass: func(m *ir.Module, s *pass.Step) error {
			if len(s.Pass.Children) > 0 {
				return nil
			}
			snaps.Forget(stale)
			stale = snaps.Delta(s.Input, m)
			for _, d := range stale {
				before, after := "", ""
				if d.Before != nil {
					before = d.Before.Text
				}
				if d.After != nil {
					after = d.After.Text
				}
				linediff.Hunks(before, after, event.MaxFunctionHunks)
			}
			return nil
		},
	}
	_, err := compiler.Passes(b.Context(), compiler.Request{
		Module: importModel(b, data), Target: tgt, Instruments: []*pass.Instrument{timed(hunks, &spent)},
	})
	must(b, err)
	return spent
}

// BenchmarkOnePassOfMany runs a pass that touches one function of a module of 2,000
// functions and about 100,000 lines, with the recorder on.
func BenchmarkOnePassOfMany(b *testing.B) {
	m := manyFunctions(b, 2000)
	first := ""
	for gv := range m.Funcs() {
		first = gv.Name
		break
	}
	touch, err := pass.NewModulePass("Touch", 0, func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		f := m.Lookup(first)
		return m.With(first, f.WithFuncAttrs(f.FuncAttrs().With("touched", fmt.Sprint(time.Now().UnixNano())))), nil
	})
	must(b, err)
	rec := instruments.NewRecorder(&sink{}, instruments.NewSnapshots())
	pl := pass.NewSequential("pl", touch)
	must(b, rec.Start(m, pl, &event.RunStarted{}))
	lines := 0
	snaps := instruments.NewSnapshots()
	for gv, f := range m.Funcs() {
		lines += snaps.Of(gv.Name, f).Lines
	}
	c, err := pass.NewContext(b.Context(), pass.Instruments(rec.Instrument()))
	must(b, err)
	b.ReportAllocs()
	for b.Loop() {
		_, err := c.Run(touch, m)
		must(b, err)
	}
	b.ReportMetric(float64(lines), "lines")
	b.ReportMetric(float64(m.Len()), "functions")
}

// manyFunctions is a module of n PrimFuncs: copies of one of a lowered model.
func manyFunctions(b *testing.B, n int) *ir.Module {
	b.Helper()
	g, ok := gallery.Lookup("cnn")
	if !ok {
		b.Fatal("the gallery has no cnn")
	}
	level := 0
	res, err := compiler.Passes(b.Context(), compiler.Request{Module: importModel(b, g.Bytes), OptLevel: &level})
	must(b, err)
	snaps := instruments.NewSnapshots()
	var model ir.Function
	nearest := 1 << 30
	for gv, f := range res.Module.Funcs() {
		if s := snaps.Of(gv.Name, f); s.Kind == "prim_func" && max(s.Lines-50, 50-s.Lines) < nearest {
			model, nearest = f, max(s.Lines-50, 50-s.Lines)
		}
	}
	m := ir.NewModule()
	for i := range n {
		name := fmt.Sprintf("kernel_%04d", i)
		m = m.With(name, model.WithFuncAttrs(model.FuncAttrs().With(ir.AttrGlobalSymbol, name)))
	}
	return m
}
