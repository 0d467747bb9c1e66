package transform_test

import (
	"context"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target"
)

// TestApplyDefaultSchedule checks that functions are scheduled once, for a target only, and
// that those that say they are scheduled are left alone.
func TestApplyDefaultSchedule(t *testing.T) {
	x := te.Placeholder("x", dtype.Float32T, tir.Int(8), tir.Int(12))
	f, err := te.CreatePrimFunc([]*te.Tensor{x, topi.Softmax(x, 1)}, te.FuncOpts{Tuned: true})
	if err != nil {
		t.Fatal(err)
	}
	done := f.WithFuncAttrs(f.Attrs.With(transform.AttrIsScheduled, true))
	m := ir.NewModule().With("softmax", f).With("scheduled", done)
	run := func(m *ir.Module, opts ...pass.ContextOption) *ir.Module {
		t.Helper()
		c, err := pass.NewContext(context.Background(), opts...)
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.Run(transform.ApplyDefaultSchedule, m)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if out := run(m); out != m {
		t.Error("without a target something was scheduled")
	}
	other, err := target.Table{{Name: "other"}}.Parse("other")
	if err != nil {
		t.Fatal(err)
	}
	if out := run(m, pass.WithTarget(other)); out != m {
		t.Error("for a target of another kind something was scheduled")
	}
	wasm, err := target.Parse("wasm")
	if err != nil {
		t.Fatal(err)
	}
	out := run(m, pass.WithTarget(wasm))
	if out.Lookup("scheduled") != ir.Function(done) {
		t.Error("a function that is scheduled was scheduled again")
	}
	g := out.Lookup("softmax").(*tir.PrimFunc)
	if !g.Attrs.Bool(transform.AttrIsScheduled, false) {
		t.Error("the result has no attribute tir.is_scheduled")
	}
	vectors := false
	ir.Walk(g.Body, func(n ir.Node) bool {
		l, ok := n.(*tir.For)
		vectors = vectors || ok && l.Kind == tir.Vectorized
		return true
	})
	if !vectors {
		t.Error("no loop of a softmax was vectorised")
	}
	if again := run(out, pass.WithTarget(wasm)); again != out {
		t.Error("a second run changed the module")
	}
}

// TestApplyDefaultScheduleForms: a copy in a block without iteration variables gets some, which the pass says.
func TestApplyDefaultScheduleForms(t *testing.T) {
	m := read(t, `
@T.prim_func
def copy(x: T.Buffer((2, 16, 10, 8), "float32"), y: T.Buffer((2, 1, 10, 8, 16), "float32")):
    with T.block("root"):
        T.reads()
        T.writes()
        with T.block("copy"):
            T.reads(x[0:2, 0:16, 0:10, 0:8])
            T.writes(y[0:2, 0, 0:10, 0:8, 0:16])
            for i, j, k, l in T.grid(2, 16, 10, 8):
                y[i, j // 16, k, l, j % 16] = x[i, j, k, l]
`)
	to, err := target.Parse("x86 -mattr=+avx512f -num-cores=2")
	if err == nil {
		to, err = to.Explicit(nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	if out, _ := check(t, passtest.NewContext(pass.WithTarget(to)), transform.ApplyDefaultSchedule, m); pass.OpaqueBlocks.Check(out) == nil {
		t.Errorf("there are no iteration variables in\n%s", passtest.Text(out))
	}
}
