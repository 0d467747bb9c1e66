package rewrites_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/rewrites"
	"github.com/irscope/irscope/target"
)

// load reads a module.
func load(tb testing.TB, name string, data []byte) *ir.Module {
	tb.Helper()
	list, _, err := frontend.Load(context.Background(), name, data, frontend.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return list[0].Module
}

func galleryModule(tb testing.TB, name string) *ir.Module {
	tb.Helper()
	g, ok := gallery.Lookup(name)
	if !ok {
		tb.Fatalf("the gallery has no %s", name)
	}
	return load(tb, name+".onnx", g.Bytes)
}

// run runs passes and returns what they reported, with the module that they made.
func run(tb testing.TB, m *ir.Module, passes string, config map[string]any, limit int, list ...*pass.Instrument) ([]rewrites.Step, *ir.Module) {
	tb.Helper()
	all, err := pipeline.Parse(passes, pipeline.NewRegistry(), target.Default())
	if err != nil {
		tb.Fatal(err)
	}
	level := 4
	o := &rewrites.Observer{Limit: limit}
	var steps []rewrites.Step
	in := o.Instrument(func(s rewrites.Step) error { steps = append(steps, s); return nil })
	res, err := compiler.Passes(context.Background(), compiler.Request{
		Module: m, Pipeline: pass.NewSequential("passes", all...), OptLevel: &level, Config: config,
		Observer: o, Instruments: append(list, in),
	})
	if err != nil {
		tb.Fatal(err)
	}
	return steps, res.Module
}

const program = `@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        with R.dataflow():
            a = R.exp(x)
            b = R.exp(x)
            unused = R.add(x, x)
            c = R.add(a, b)
            d = R.nn.relu(c)
            s = R.sum(d, keepdims=True)
            e = R.multiply(x, s)
            R.output(e)
        return e
`

// TestReports reads off what a few passes say about a small program.
func TestReports(t *testing.T) {
	m := load(t, "in.py", []byte(program))
	steps, _ := run(t, m, "EliminateCommonSubexpr,DeadCodeElimination,LegalizeOps,AnnotateTIROpPattern,FuseOps", nil, 0)
	var got strings.Builder
	for _, s := range steps {
		if s.Pass == "AnnotateTIROpPattern" {
			continue
		}
		if err := rewrites.Print(&got, s, true, true); err != nil {
			t.Fatal(err)
		}
	}
	want := `EliminateCommonSubexpr: 1 rewrite
  main:5:9 -> main:5:9: reuse an equal value
      - b: R.Tensor((4,), dtype="float32") = R.exp(x)
      + b: R.Tensor((4,), dtype="float32") = a
DeadCodeElimination: 2 rewrites
  main:6:9 -> nothing: remove unused binding
      - unused: R.Tensor((4,), dtype="float32") = R.add(x, x)
  main:5:9 -> nothing: remove unused binding
      - b: R.Tensor((4,), dtype="float32") = a
LegalizeOps: 5 rewrites
  main:4:9 -> main:4:9: lower relax.exp
      - a: R.Tensor((4,), dtype="float32") = R.exp(x)
      + a = R.call_tir(cls.exp, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
  main:5:9 -> main:5:9: lower relax.add
      - c: R.Tensor((4,), dtype="float32") = R.add(a, a)
      + c = R.call_tir(cls.add, (a, a), out_sinfo=R.Tensor((4,), dtype="float32"))
  main:6:9 -> main:6:9: lower relax.nn.relu
      - d: R.Tensor((4,), dtype="float32") = R.nn.relu(c)
      + d = R.call_tir(cls.relu, (c,), out_sinfo=R.Tensor((4,), dtype="float32"))
  main:7:9 -> main:7:9: lower relax.sum
      - s: R.Tensor((1,), dtype="float32") = R.sum(d, axis=None, keepdims=True)
      + s = R.call_tir(cls.sum, (d,), out_sinfo=R.Tensor((1,), dtype="float32"))
  main:8:9 -> main:8:9: lower relax.multiply
      - e: R.Tensor((4,), dtype="float32") = R.multiply(x, s)
      + e = R.call_tir(cls.multiply, (x, s), out_sinfo=R.Tensor((4,), dtype="float32"))
FuseOps: 1 rewrite
  main:4:9, main:5:9, main:6:9, main:7:9 -> main:4:9: fuse a group of kernels
      - a = R.call_tir(cls.exp, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
      - c = R.call_tir(cls.add, (a, a), out_sinfo=R.Tensor((4,), dtype="float32"))
      - d = R.call_tir(cls.relu, (c,), out_sinfo=R.Tensor((4,), dtype="float32"))
      - s = R.call_tir(cls.sum, (d,), out_sinfo=R.Tensor((1,), dtype="float32"))
      + s: R.Tensor((1,), dtype="float32") = cls.fused_exp_add_relu_sum(x)
FuseOps: 2 decisions
  main:7:9: did not fuse: it is a reduction, which nothing may follow
        s = R.call_tir(cls.sum, (d,), out_sinfo=R.Tensor((1,), dtype="float32"))
  main:8:9: did not fuse: it is an output of its block
        e = R.call_tir(cls.multiply, (x, s), out_sinfo=R.Tensor((4,), dtype="float32"))
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
}

// TestPlaces checks that a place is where its text stands, and that its path leads to a node.
func TestPlaces(t *testing.T) {
	for _, name := range []string{"mlp", "cnn", "transformer"} {
		before, after := map[string]*ir.Module{}, map[string]*ir.Module{}
		in := &pass.Instrument{Name: "keep", RunAfterPass: func(m *ir.Module, s *pass.Step) error {
			before[s.Path()], after[s.Path()] = s.Input, m
			return nil
		}}
		steps, _ := run(t, galleryModule(t, name), "default", nil, 50, in)
		exact, placed, all := 0, 0, 0
		look := func(s rewrites.Step, m *ir.Module, p event.Place) {
			all++
			if p.Line == 0 {
				return
			}
			placed++
			fn := m.Lookup(p.Func)
			if fn == nil {
				t.Fatalf("%s: %s: a place in %s, which the module lacks", name, s.Step, p.Func)
			}
			path, err := ir.ParsePath(p.Path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := ir.At(fn, path); err != nil {
				t.Errorf("%s: %s: %s: %v", name, s.Step, p.Path, err)
			}
			if p.Near {
				return
			}
			exact++
			lines := strings.Split(script.Function(p.Func, fn, script.Options{}).Source, "\n")
			first, _, _ := strings.Cut(strings.TrimSuffix(p.Text, " ..."), "\n")
			if line := lines[p.Line-1]; !strings.HasPrefix(line[p.Col-1:], first) {
				t.Errorf("%s: %s: %s:%d:%d is %q, the text is %q", name, s.Step, p.Func, p.Line, p.Col, line[p.Col-1:], first)
			}
			if end := lines[p.EndLine-1]; p.EndCol > len(end) || p.EndLine < p.Line {
				t.Errorf("%s: %s: a place ends at %d:%d, beyond %q", name, s.Step, p.EndLine, p.EndCol, end)
			}
		}
		for _, s := range steps {
			for _, r := range s.Rewrites.Rewrites {
				for _, p := range r.Before {
					look(s, before[s.Step], p)
				}
				for _, p := range r.After {
					look(s, after[s.Step], p)
				}
			}
			for _, d := range s.Decisions {
				if d.Place != nil {
					look(s, before[s.Step], *d.Place)
				}
			}
		}
		t.Logf("%s: %d places: %d of the node itself, %d of a part or neighbour, %d unknown", name, all, exact, placed-exact, all-placed)
		if exact*2 < all || placed*10 < all*9 {
			t.Errorf("%s: of %d places %d are known, %d exactly", name, all, placed, exact)
		}
	}
}

// TestDeterministic checks that two runs report the same, and that the passes make what they
// make when nobody listens.
func TestDeterministic(t *testing.T) {
	for _, g := range gallery.Models() {
		if g.Name == "transformer" && testing.Short() {
			continue
		}
		one, first := run(t, galleryModule(t, g.Name), "default", nil, 0)
		two, _ := run(t, galleryModule(t, g.Name), "default", nil, 0)
		if a, b := asJSON(t, one), asJSON(t, two); a != b {
			t.Errorf("%s: two runs report otherwise", g.Name)
		}
		level := 4
		res, err := compiler.Passes(t.Context(), compiler.Request{Module: galleryModule(t, g.Name), OptLevel: &level})
		if err != nil {
			t.Fatal(err)
		}
		if script.Module(first, script.Options{}).Source != script.Module(res.Module, script.Options{}).Source {
			t.Errorf("%s: an observer changes what the passes make", g.Name)
		}
	}
}

func asJSON(tb testing.TB, v any) string {
	tb.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

// TestLimit checks that a step lists no more than its limit, and counts all.
func TestLimit(t *testing.T) {
	m := galleryModule(t, "cnn")
	all, _ := run(t, m, "default", nil, 1<<20)
	few, _ := run(t, m, "default", nil, 2)
	if len(all) != len(few) {
		t.Fatalf("%d steps report with a limit, %d without", len(few), len(all))
	}
	cut := false
	for i, a := range all {
		f := few[i]
		if a.Omitted+a.OmittedDecisions != 0 {
			t.Errorf("%s: %d and %d left out of all", a.Step, a.Omitted, a.OmittedDecisions)
		}
		if len(f.Rewrites.Rewrites) > 2 || len(f.Decisions) > 2 {
			t.Errorf("%s lists %d rewrites and %d decisions", f.Step, len(f.Rewrites.Rewrites), len(f.Decisions))
		}
		if len(f.Rewrites.Rewrites)+f.Omitted != len(a.Rewrites.Rewrites) || len(f.Decisions)+f.OmittedDecisions != len(a.Decisions) {
			t.Errorf("%s: %d of %d rewrites are left out", f.Step, f.Omitted, len(a.Rewrites.Rewrites))
		}
		if !slices.Equal(f.Names, a.Names) || !slices.Equal(f.Rules, a.Rules) {
			t.Errorf("%s counts %v and %v, without a limit %v and %v", f.Step, f.Names, f.Rules, a.Names, a.Rules)
		}
		cut = cut || f.Omitted > 0
	}
	if !cut {
		t.Error("nothing was left out")
	}
}
