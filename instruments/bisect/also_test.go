package bisect_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/bisect"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestAllFunctions has wrong passes that spoil several functions. Each of them is found, and no other.
func TestAllFunctions(t *testing.T) {
	negate := store(func(s *tir.BufferStore) tir.Stmt { return s.WithValue(tir.Sub(float(0.75), s.Value)) })
	only := func(name string, kernels ...string) *pass.Pass {
		p := loops(name, "", negate, nil)
		return &pass.Pass{Name: name, Kind: pass.PrimFunc, Doc: "Wrong.", Foreign: true, Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
			out, err := p.Run(c, m)
			if err != nil {
				return nil, err
			}
			e := m.Edit()
			for _, k := range kernels {
				e.Set(k, out.Lookup(k))
			}
			return e.Done(), nil
		}}
	}
	fails := &pass.Pass{Name: "FailsAtThree", Kind: pass.PrimFunc, Foreign: true, Doc: "Wrong.", Run: pass.EachPrimFunc(func(_ *pass.Context, gv *ir.GlobalVar, f *tir.PrimFunc) (*tir.PrimFunc, error) {
		switch gv.Name {
		case "exp", "relu", "tanh":
			return nil, fmt.Errorf("no rule for %q", gv.Name)
		case "sum":
			return nil, errors.New("this is something else")
		}
		return f, nil
	})}
	graphs := calls("PanicsAtBoth", "relax.multiply", func(*relax.ExprMutator, *relax.Call) relax.Expr { panic("no rule for multiply") })
	both := calls("SwapsInBoth", "relax.divide", swapped)
	for _, c := range []struct {
		behind    string
		pass      *pass.Pass
		predicate string
		want      []string
	}{
		{"LegalizeOps", only("One", "tanh"), "wrong", []string{"tanh"}},
		{"LegalizeOps", only("Two", "tanh", "add"), "wrong", []string{"add", "tanh"}},
		{"LegalizeOps", only("Many", "add", "exp", "matmul", "relu", "sum", "tanh"), "wrong", []string{"add", "exp", "matmul", "relu", "sum", "tanh"}},
		{"LegalizeOps", loops("Invalid", "x", store(func(s *tir.BufferStore) tir.Stmt { return s.WithIndices(s.Indices[:1]) }), nil), "invalid", []string{"exp", "maximum", "softmax"}},
		{"LegalizeOps", loops("Text", "ta", nil, func(e tir.Expr) tir.Expr { return e }), "lacks=never_there", nil},
		{"LegalizeOps", fails, "crash", []string{"exp", "relu", "tanh"}},
		{"CanonicalizeBindings", graphs, "crash", []string{"gate", "main"}},
		{"CanonicalizeBindings", both, "wrong", []string{"gate", "main"}},
	} {
		t.Run(c.pass.Name, func(t *testing.T) {
			t.Parallel()
			p, err := bisect.Parse(c.predicate)
			if err != nil {
				t.Fatal(err)
			}
			s := subject(t, put(t, c.behind, c.pass))
			two := strings.Replace(model, "m: R.Tensor((6, 6), \"float32\") = R.tanh(k)", "m0: R.Tensor((6, 6), \"float32\") = R.divide(R.tanh(k), w)\n        m: R.Tensor((6, 6), \"float32\") = R.multiply(m0, w)", 1)
			m, found := parse.Module("model.py", two, parse.Options{})
			for _, d := range found {
				t.Fatal(d.Format())
			}
			s.Module = m
			f, err := bisect.Find(t.Context(), s, p, hooks(), bisect.Options{})
			if c.want == nil {
				var not *bisect.NotHeldError
				if !errors.As(err, &not) {
					t.Errorf("got %+v, %v", f, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d tests", f.Tests)
			got := slices.Sorted(slices.Values(append(slices.Clone(f.Functions), f.Also...)))
			if f.Pass != c.pass.Name || len(f.Functions) != 1 || f.AlsoStopped || !slices.Equal(got, c.want) {
				t.Errorf("found %s: %v, and %v, want %v", f.Pass, f.Functions, f.Also, c.want)
			}
		})
	}
}

// TestFunctionsTogether has a fault that shows only where two functions are both changed, twice.
func TestFunctionsTogether(t *testing.T) {
	mark := loops("Mark", "", store(func(s *tir.BufferStore) tir.Stmt { return s.WithValue(tir.Add(s.Value, float(0))) }), nil)
	s := subject(t, put(t, "LegalizeOps", mark))
	clean, err := bisect.Find(t.Context(), s, &bisect.Predicate{Kind: bisect.Script}, bisect.Hooks{Script: together}, bisect.Options{Evaluations: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][]string{clean.Functions, clean.Also} {
		if pair = slices.Sorted(slices.Values(pair)); !slices.Equal(pair, []string{"exp", "relu"}) && !slices.Equal(pair, []string{"sum", "tanh"}) {
			t.Errorf("found %v, and %v", clean.Functions, clean.Also)
		}
	}
	if slices.Contains(clean.Also, clean.Functions[0]) {
		t.Errorf("found %v twice", clean.Functions)
	}
}

// together tells whether both of exp and relu are marked, or both of sum and tanh.
func together(_ context.Context, m *ir.Module) (bool, error) {
	marked := func(name string) bool {
		f, ok := m.Lookup(name).(*tir.PrimFunc)
		found := false
		if ok {
			ir.Walk(f, func(n ir.Node) bool {
				b, add := n.(*tir.Binary)
				if add && b.Op == tir.OpAdd {
					x, zero := b.B.(*tir.FloatImm)
					found = found || zero && x.Value == 0
				}
				return true
			})
		}
		return found
	}
	return marked("exp") && marked("relu") || marked("sum") && marked("tanh"), nil
}

// TestAlsoStops keeps what was found when the context ends while further functions are looked for, and says that there may be more.
func TestAlsoStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p, err := bisect.Parse("wrong")
	if err != nil {
		t.Fatal(err)
	}
	wrong := loops("All", "", store(func(s *tir.BufferStore) tir.Stmt { return s.WithValue(tir.Sub(float(0.75), s.Value)) }), nil)
	f, err := bisect.Find(ctx, subject(t, put(t, "LegalizeOps", wrong)), p, hooks(), bisect.Options{Progress: func(text string) {
		if strings.HasPrefix(text, "other functions") {
			cancel()
		}
	}})
	if err != nil || len(f.Functions) != 1 || !f.AlsoStopped || len(f.Also) > 0 || f.Stopped != "" {
		t.Errorf("got %+v, %v", f, err)
	}
}

// TestWhole prints the smallest module with its constants as far as a session takes them.
func TestWhole(t *testing.T) {
	for _, c := range []struct {
		values  int64
		whole   bool
		omitted int
	}{{6, true, 0}, {100 << 10, true, 0}, {300 << 10, false, 1}} {
		text := strings.ReplaceAll(constants, "N", fmt.Sprint(c.values))
		blob, err := ir.NewSplat(dtype.Float32T, []int64{c.values}, []byte{0, 0, 0, 64})
		if err != nil {
			t.Fatal(err)
		}
		s := subject(t, pass.NewSequential("", calls("SwapSubtract", "relax.subtract", swapped)))
		m, found := parse.Module("constants.py", text, parse.Options{Constants: map[string]*ir.Blob{"c": blob}})
		for _, d := range found {
			t.Fatal(d.Format())
		}
		s.Module = m
		p, err := bisect.Parse("wrong")
		if err != nil {
			t.Fatal(err)
		}
		f, err := bisect.Find(t.Context(), s, p, hooks(), bisect.Options{})
		if err != nil {
			t.Fatal(err)
		}
		again, found := parse.Module("whole.py", f.Whole, parse.Options{})
		same := len(found) == 0 && ir.FirstModuleMismatch(f.Module, again, ir.EqualOpts{}) == nil
		if same != c.whole || f.Omitted != c.omitted || len(f.Whole) > 1<<20 || strings.Contains(f.Source, "load_json") {
			t.Errorf("%d values: the text has %d bytes and is whole: %v; %d constants are omitted\n%s", c.values, len(f.Whole), same, f.Omitted, f.Source)
		}
	}
}

const constants = `from tvm.script import ir as I, relax as R
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((N,), "float32")) -> R.Tensor((N,), "float32"):
        a: R.Tensor((N,), "float32") = R.subtract(x, metadata["relax.expr.Constant"]["c"])
        return a
`
