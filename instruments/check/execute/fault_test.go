package execute_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/instruments/check/execute"
)

// operator returns f for calls of one operator.
func operator(name string, f func(*relax.Call) relax.Expr) func(relax.Expr) relax.Expr {
	return func(e relax.Expr) relax.Expr {
		if c, ok := e.(*relax.Call); ok {
			if o, ok := c.Op.(*ir.Op); ok && o.Name == name {
				return f(c)
			}
		}
		return e
	}
}

func store(f func(*tir.BufferStore) tir.Stmt) func(tir.Stmt) tir.Stmt {
	return func(s tir.Stmt) tir.Stmt {
		if x, ok := s.(*tir.BufferStore); ok && x.Value.DType().IsFloat() {
			return f(x)
		}
		return s
	}
}

func binary(from, to tir.BinaryOp) func(tir.Expr) tir.Expr {
	return func(e tir.Expr) tir.Expr {
		if b, ok := e.(*tir.Binary); ok && b.Op == from && b.DType().IsFloat() {
			return &tir.Binary{Op: to, A: b.A, B: b.B}
		}
		return e
	}
}

// faults are wrong passes: behind which pass they run, and what a checker says of them.
var faults = []struct {
	name, behind string
	pass         *pass.Pass
	status       check.Status
	function     string
}{
	{"wrong constant", "DecomposeOps", graphFault(func(e relax.Expr) relax.Expr {
		if _, ok := e.(*relax.Constant); ok {
			return &relax.Constant{Data: ir.Float32Blob(nil, 2.4)}
		}
		return e
	}), check.Wrong, "main"},
	{"swapped operands", "CanonicalizeBindings", graphFault(operator("relax.subtract", func(c *relax.Call) relax.Expr {
		return c.WithArgs([]relax.Expr{c.Args[1], c.Args[0]})
	})), check.Wrong, "main"},
	{"dropped relu", "CanonicalizeBindings", graphFault(operator("relax.nn.relu", func(c *relax.Call) relax.Expr { return c.Args[0] })), check.Wrong, "main"},
	{"wrong axis", "DeadCodeElimination", graphFault(operator("relax.nn.softmax", func(c *relax.Call) relax.Expr {
		return c.WithAttrs(c.Attrs.With("axis", int64(0)))
	})), check.Wrong, "main"},
	{"swapped results", "FuseOps", graphFault(func(e relax.Expr) relax.Expr {
		if x, ok := e.(*relax.Tuple); ok && len(x.Fields) == 2 && relax.EqualSInfo(relax.SInfoOf(x.Fields[0]), relax.SInfoOf(x.Fields[1])) {
			return x.WithFields([]relax.Expr{x.Fields[1], x.Fields[0]})
		}
		return e
	}), check.Wrong, ""},
	{"swapped arguments of a kernel", "FuseTIR", graphFault(operator("relax.call_tir", func(c *relax.Call) relax.Expr {
		t, ok := c.Args[1].(*relax.Tuple)
		if !ok || len(t.Fields) != 2 {
			return c
		}
		return c.WithArgs([]relax.Expr{c.Args[0], t.WithFields([]relax.Expr{t.Fields[1], t.Fields[0]})})
	})), check.Wrong, "main"},
	{"wrong operator in a kernel", "LegalizeOps", loopFault("", nil, binary(tir.OpMax, tir.OpMin)), check.Wrong, "relu"},
	{"a NaN", "LegalizeOps", loopFault("", store(func(s *tir.BufferStore) tir.Stmt {
		return s.WithValue(&tir.FloatImm{Type: s.Value.DType(), Value: math.NaN()})
	}), nil), check.Wrong, "matmul"},
	{"a loop ends early", "tir.LowerOpaqueBlock", loopFault("", func(s tir.Stmt) tir.Stmt {
		if f, ok := s.(*tir.For); ok {
			return f.WithExtent(tir.Sub(f.Extent, tir.Const(f.Extent.DType(), 1)))
		}
		return s
	}, nil), check.Wrong, "softmax"},
	{"a store is lost", "tir.FlattenBuffer", loopFault("", store(func(*tir.BufferStore) tir.Stmt { return tir.NoOp() }), nil), check.Wrong, ""},
	{"one element too far", "tir.FlattenBuffer", loopFault("", store(func(s *tir.BufferStore) tir.Stmt {
		return s.WithIndices([]tir.Expr{tir.Add(s.Indices[0], tir.Const(s.Indices[0].DType(), 1000))})
	}), nil), check.Failed, ""},
	{"a sum becomes a difference", "tir.StorageRewrite", loopFault("", nil, binary(tir.OpAdd, tir.OpSub)), check.Wrong, ""},
	{"a value behind the calling convention", "tir.LowerIntrin", loopFault("fused_matmul_subtract_relu_multiply", store(func(s *tir.BufferStore) tir.Stmt {
		return s.WithValue(tir.Add(s.Value, &tir.FloatImm{Type: s.Value.DType(), Value: 1}))
	}), nil), check.Wrong, "fused_matmul_subtract_relu_multiply"},
}

// TestSeededFaults runs a wrong pass between the right ones: the first red mark names it and the function.
func TestSeededFaults(t *testing.T) {
	m := parsed(t, network)
	for _, x := range faults {
		t.Run(x.name, func(t *testing.T) {
			tgt := kind(t, "wasm")
			c := &execute.Checker{Runner: &execute.Runner{}, Function: "main", Inputs: inputs(t, m, 1)}
			rep := checked(t, c, m, tgt, behind(t, tgt, x.behind, x.pass))
			f := rep.Fault
			if f == nil || f.Pass != "Wrong" {
				for _, s := range rep.Steps {
					t.Log(line(s))
				}
				t.Fatalf("fault %+v, want one of the pass Wrong", f)
			}
			s := rep.Steps[f.Step]
			if s.Status != x.status || f.Path != s.Path || f.Step != rep.FirstBad() {
				t.Errorf("%s, first bad %d, fault %+v", line(s), rep.FirstBad(), f)
			}
			if x.function != "" && !slices.Equal(f.Functions, []string{x.function}) || len(f.Functions) != 1 || f.Why != "" {
				t.Errorf("functions %v of %d (%s), want %s", f.Functions, f.All, f.Why, x.function)
			}
			for _, s := range rep.Steps[:f.Step] {
				if s.Status != check.Same && s.Status != check.Close {
					t.Errorf("before it: %s", line(s))
				}
			}
			if x.status == check.Wrong {
				if d := s.Difference; d == nil || d.Beyond == 0 || d.Output == "" || d.Index < 0 {
					t.Errorf("difference %+v", d)
				}
			}
		})
	}
}

// TestFunctionAtFault has one pass change many functions, and only one of them wrongly.
func TestFunctionAtFault(t *testing.T) {
	m := parsed(t, network)
	tgt := kind(t, "wasm")
	var names []string
	wrong := &pass.Pass{Name: "Wrong", Kind: pass.Module, Run: func(_ *pass.Context, m *ir.Module) (*ir.Module, error) {
		e := m.Edit()
		for gv, fn := range m.Funcs() {
			f, ok := fn.(*tir.PrimFunc)
			if !ok {
				continue
			}
			names = append(names, gv.Name)
			e.Set(gv.Name, f.WithBody(tir.RewriteStmt(f.Body, store(func(s *tir.BufferStore) tir.Stmt {
				v := tir.Add(s.Value, &tir.FloatImm{Type: s.Value.DType(), Value: 0})
				if gv.Name == "exp" {
					v = tir.Mul(s.Value, &tir.FloatImm{Type: s.Value.DType(), Value: 1.01})
				}
				return s.WithValue(v)
			}), func(e tir.Expr) tir.Expr { return e })))
		}
		return e.Done(), nil
	}}
	c := &execute.Checker{Runner: &execute.Runner{}, Function: "main", Inputs: inputs(t, m, 1)}
	rep := checked(t, c, m, tgt, behind(t, tgt, "LegalizeOps", wrong))
	for _, s := range rep.Steps {
		if s.Pass == "default" || s.Pass == "tir" {
			t.Errorf("the sequence %s is a step", s.Path)
		}
	}
	f := rep.Fault
	if f == nil || f.Pass != "Wrong" || !slices.Equal(f.Functions, []string{"exp"}) || f.All != len(names) || len(names) < 6 {
		t.Errorf("fault %+v of functions %v, want exp", f, names)
	}
}

// TestFaultWithAnAddedFunction has a pass move the bodies of two functions into functions that it adds, one of them wrongly: the search runs modules in which
// only one of the two calls its new function.
func TestFaultWithAnAddedFunction(t *testing.T) {
	before := parsed(t, twice)
	after := parsed(t, strings.ReplaceAll(strings.ReplaceAll(twice, "        return R.add(x, x)", "        cls = Module\n        return cls.more(x)"), "        return R.exp(x)", "        cls = Module\n        return cls.power(x)")+`
    @R.function(private=True)
    def more(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        return R.add(x, x)

    @R.function(private=True)
    def power(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        return R.sin(x)
`)
	c := &execute.Checker{Runner: &execute.Runner{}, Function: "main", Inputs: inputs(t, before, 1)}
	if err := c.Start(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	if err := c.Step(t.Context(), "1/Move", "Move", after); err != nil {
		t.Fatal(err)
	}
	// All functions are other ones, since the text was read twice; only two differ in what they compute.
	f := c.Report().Fault
	if f == nil || !slices.Equal(f.Functions, []string{"second"}) || f.Why != "" || f.All != 5 {
		t.Errorf("fault %+v, want second", f)
	}
}

const twice = `
@I.ir_module
class Module:
    @R.function(private=True)
    def first(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        return R.add(x, x)

    @R.function(private=True)
    def second(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        return R.exp(x)

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        y = cls.first(x)
        z = cls.second(y)
        return z
`
