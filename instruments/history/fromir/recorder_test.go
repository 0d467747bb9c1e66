package fromir_test

import (
	"bytes"
	"compress/flate"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/history"
	"github.com/irscope/irscope/instruments/history/fromir"
)

func model(tb testing.TB, list []onnxtest.Case, name string) *ir.Module {
	tb.Helper()
	i := slices.IndexFunc(list, func(c onnxtest.Case) bool { return c.Name == name })
	if i < 0 {
		tb.Fatalf("there is no model %s", name)
	}
	mod, err := onnx.Import(context.Background(), list[i].Model(tb), onnx.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return mod
}

// record compiles a model with the default pipeline. Check, if not nil, sees each step and
// the module after it.
func record(tb testing.TB, mod *ir.Module, limit int, check func(*history.Step, *ir.Module)) []*history.Step {
	tb.Helper()
	var steps []*history.Step
	rec := fromir.NewRecorder(instruments.NewSnapshots(), func(s *history.Step) error {
		steps = append(steps, s)
		return nil
	})
	rec.Limit = limit
	if err := rec.Start(mod); err != nil {
		tb.Fatal(err)
	}
	watch := &pass.Instrument{Name: "watch", RunAfterPass: func(m *ir.Module, s *pass.Step) error {
		if last := steps[len(steps)-1]; check != nil && last.Path == s.Path() {
			check(last, m)
		}
		return nil
	}}
	res, err := compiler.Compile(context.Background(), compiler.Request{Module: mod, Instruments: []*pass.Instrument{rec.Instrument(), watch}})
	if err != nil {
		tb.Fatal(err)
	}
	names := []string{"main"}
	for _, k := range res.Kernels {
		names = append(names, k.Name)
	}
	if err := rec.Generated(res.Module, names...); err != nil {
		tb.Fatal(err)
	}
	return steps
}

// TestLines checks that each row names what stands at its line.
func TestLines(t *testing.T) {
	rows := 0
	record(t, model(t, onnxtest.Gallery(t), "transformer"), 0, func(s *history.Step, m *ir.Module) {
		for _, f := range s.Functions {
			if f.Gone {
				continue
			}
			lines := strings.Split(script.Function(f.Name, m.Lookup(f.Name), script.Options{}).Source, "\n")
			for _, r := range f.Rows {
				switch r.Kind {
				case history.Binding, history.Block, history.Loop, history.Store, history.Buffer, history.Shape, history.Memory:
					if rows++; !strings.Contains(lines[r.Line-1], s.Names[r.Name]) {
						t.Fatalf("%s, %s, line %d: %c %s is not in %q", s.Path, f.Name, r.Line, r.Kind, s.Names[r.Name], lines[r.Line-1])
					}
				}
			}
		}
	})
	if rows < 1000 {
		t.Errorf("only %d rows", rows)
	}
}

// TestVerbs follows a node of the model to the code of its kernel.
func TestVerbs(t *testing.T) {
	h := history.New(record(t, model(t, onnxtest.Gallery(t), "cnn"), 0, nil)...)
	f, err := h.Named("/bn1/BatchNormalization")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]history.Entry{}
	for _, e := range h.Of(f) {
		got[e.Pass] = e
	}
	for pass, verb := range map[string]history.Verb{
		"import": history.Born, "FoldScaleToConv2D": history.Split, "LegalizeOps": history.Lowered, "FoldConstant": history.Rewritten, "FuseOps": history.Fused,
		"FuseTIRInner": history.Lowered, "ApplyDefaultSchedule": history.Rewritten, "ToNonDataflow": history.Same, "tir.FlattenBuffer": history.Rewritten, "code": history.Lowered,
	} {
		if got[pass].Verb != verb {
			t.Errorf("%s: %q, want %q", pass, got[pass].Verb, verb)
		}
	}
	var with []string
	for _, r := range got["FuseOps"].With {
		with = append(with, r.Name)
	}
	if want := []string{"/conv1/Conv", "/relu1/Relu"}; !slices.Equal(with, want) {
		t.Errorf("fused with %q, want %q", with, want)
	}

	// The same from a click: on the line of the fused call, whose nodes are three.
	place := got["CallTIRRewrite"].To[0]
	at, _, err := h.At(got["CallTIRRewrite"].Path, place.Function, place.Line, "")
	if err != nil || len(at.Roots) != 3 || at.Inner {
		t.Errorf("at %s:%d: %v, %v", place.Function, place.Line, at, err)
	}
	// A click into the kernel follows its blocks and loops too.
	kernel := got["code"].To[0].Function
	in, _, err := h.At(got["ApplyDefaultSchedule"].Path, kernel, 20, "")
	if err != nil || !in.Inner {
		t.Errorf("in %s: %v, %v", kernel, in, err)
	}
	inner := map[string]bool{}
	for _, e := range h.Of(in) {
		for _, p := range e.To {
			inner[p.Kind] = true
		}
	}
	for _, k := range []history.Kind{history.Block, history.Loop, history.Store, history.Buffer, history.Kernel} {
		if !inner[string(rune(k))] {
			t.Errorf("the history of line 20 has no %c", k)
		}
	}
}

// TestTensor follows a weight: a parameter or constant, not computed by anything.
func TestTensor(t *testing.T) {
	h := history.New(record(t, model(t, onnxtest.Gallery(t), "cnn"), 0, nil)...)
	for name, last := range map[string]string{"bn1.running_var": "p", "image": "p", "conv1.weight": "c"} {
		f, err := h.Named(name)
		if err != nil || !f.Tensor {
			t.Fatalf("%s: %v, %v", name, f, err)
		}
		es := h.Of(f)
		if len(es) < 3 || es[0].Verb != history.Born {
			t.Fatalf("%s: %v", name, es)
		}
		seen := ""
		for _, e := range es {
			for _, p := range e.To {
				seen += p.Kind
			}
		}
		if !strings.Contains(seen, last) {
			t.Errorf("%s is seen as %s, not as %s", name, seen, last)
		}
	}
}

// TestDeterministic checks that two runs have the same history, and that it reads back.
func TestDeterministic(t *testing.T) {
	var data [2][]byte
	for i := range data {
		steps := record(t, model(t, onnxtest.Gallery(t), "batch"), 0, nil)
		var err error
		if data[i], err = history.Encode(steps...); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(data[0], data[1]) {
		t.Error("two runs have different histories")
	}
	steps, err := history.Decode(data[0])
	if err != nil {
		t.Fatal(err)
	}
	if again, err := history.Encode(steps...); err != nil || !bytes.Equal(again, data[0]) {
		t.Errorf("it does not read back: %v", err)
	}
}

// TestLost runs a pass that makes all values anew, without origins: they are counted, and what
// was there before is gone.
func TestLost(t *testing.T) {
	mod := model(t, onnxtest.Gallery(t), "mlp")
	hist := history.New()
	rec := fromir.NewRecorder(instruments.NewSnapshots(), func(s *history.Step) error {
		hist.Add(s)
		return nil
	})
	if err := rec.Start(mod); err != nil {
		t.Fatal(err)
	}
	values := 0
	strip := &pass.Pass{Name: "Strip", Run: func(_ *pass.Context, m *ir.Module) (*ir.Module, error) {
		mapper := &relax.Mapper{}
		expr := mapper.MapExpr
		mapper.Expr = func(e relax.Expr) relax.Expr {
			e = expr(e)
			if c, ok := e.(*relax.Call); ok {
				return ir.WithOrigin(relax.Expr(c), 0)
			}
			return e
		}
		mapper.Binding = func(b relax.Binding) relax.Binding {
			return ir.WithOrigin(mapper.MapBinding(b), 0)
		}
		relax.EachBinding(ir.MustLookup[*relax.Function](m, "main").Body, func(*relax.BindingBlock, relax.Binding) { values++ })
		edit := m.Edit()
		edit.Set("main", mapper.MapFunction(ir.MustLookup[*relax.Function](m, "main")))
		return edit.Done(), nil
	}}
	c, err := pass.NewContext(t.Context(), pass.Instruments(rec.Instrument()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(strip, mod); err != nil {
		t.Fatal(err)
	}
	f, _, err := hist.At(history.ImportStep, "main", 5, "")
	if err != nil {
		t.Fatal(err)
	}
	es := hist.Of(f)
	if last := es[len(es)-1]; last.Pass != "Strip" || last.Verb != history.Died || values == 0 || last.Unknown != values {
		t.Errorf("%+v, the pass made %d values", last, values)
	}
}

func TestLimit(t *testing.T) {
	steps := record(t, model(t, onnxtest.Gallery(t), "mlp"), 60, nil)
	cells, cut := 0, 0
	for _, s := range steps {
		if cells = max(cells, s.Cells()); s.Truncated {
			cut++
		}
	}
	if cells == 0 || cells > 60 || cut == 0 || len(steps[0].Roots) == 0 {
		t.Errorf("up to %d cells in %d steps, %d truncated", cells, len(steps), cut)
	}
}

// BenchmarkRecord compiles light_resnet50 with a recorder of events, without and with one of
// the history, which prints nothing that the first one did not.
func BenchmarkRecord(b *testing.B) {
	mod := model(b, onnxtest.Light(b), "light_resnet50")
	for _, on := range []bool{false, true} {
		name := map[bool]string{false: "without", true: "with"}[on]
		b.Run(name, func(b *testing.B) {
			size, packed := 0, 0
			for b.Loop() {
				var steps []*history.Step
				snaps := instruments.NewSnapshots()
				rec := fromir.NewRecorder(snaps, func(s *history.Step) error {
					steps = append(steps, s)
					return nil
				})
				list := []*pass.Instrument{{Name: "print", RunAfterPass: func(m *ir.Module, s *pass.Step) error {
					snaps.Forget(snaps.Delta(s.Input, m))
					return nil
				}}}
				if on {
					list = append([]*pass.Instrument{rec.Instrument()}, list...)
				}
				if _, err := compiler.Compile(context.Background(), compiler.Request{Module: mod, Instruments: list}); err != nil {
					b.Fatal(err)
				}
				data, err := history.Encode(steps...)
				if err != nil {
					b.Fatal(err)
				}
				size, packed = len(data), deflated(data)
			}
			b.ReportMetric(float64(size), "bytes")
			b.ReportMetric(float64(packed), "packed-bytes")
		})
	}
}

func deflated(data []byte) int {
	var z bytes.Buffer
	w, err := flate.NewWriter(&z, flate.BestSpeed)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err)
	}
	return z.Len()
}
