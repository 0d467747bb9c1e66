package transform_test

import (
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestOriginsAreKept checks what the value called "kept" and its arguments come from, after passes that put
// the work of several nodes into one.
func TestOriginsAreKept(t *testing.T) {
	for name, c := range map[string]struct {
		passes []*pass.Pass
		body   func(b *builder, x relax.Expr, at func(string)) relax.Expr
		want   []string
	}{
		"a transposed weight that a matmul reads in place": {
			[]*pass.Pass{tunedLegalizeOps},
			func(b *builder, in relax.Expr, at func(string)) relax.Expr {
				at("transpose")
				w := b.e(op.PermuteDims(weight(1, 4, 8)), "w")
				at("matmul")
				return b.e(op.Matmul(in, w, dtype.Void), "kept")
			},
			[]string{"matmul", "transpose"},
		},
		"a common subexpression": {
			[]*pass.Pass{transform.EliminateCommonSubexpr, tunedLegalizeOps},
			func(b *builder, in relax.Expr, at func(string)) relax.Expr {
				at("first")
				x := b.e(op.Unary("exp", in), "kept")
				at("second")
				y := b.e(op.Unary("exp", in), "y")
				at("sum")
				return b.e(op.Add(x, y), "sum")
			},
			[]string{"first", "second"},
		},
		"a folded constant": {
			[]*pass.Pass{tunedLegalizeOps, transform.FoldConstant},
			func(b *builder, in relax.Expr, at func(string)) relax.Expr {
				at("inner")
				w := b.e(op.Unary("exp", weight(1, 3, 8)), "w")
				at("outer")
				r := b.e(op.Relu(w), "r")
				at("sum")
				return b.e(op.Add(in, r), "kept")
			},
			[]string{"inner", "outer", "sum"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBuilder()
			origins := b.module().Origins()
			in := f32in("in", 3, 8)
			b.main(vars(in), func() relax.Expr {
				return c.body(b, in, func(node string) { b.SetOrigin(origins.Add(ir.Origin{Pass: "import", Name: node, Op: "node"})) })
			})
			m := b.module()
			for _, p := range c.passes {
				m = runPass(t, passtest.NewContext(), p, m)
			}
			var got []string
			relax.EachBinding(ir.MustLookup[*relax.Function](m, "main").Body, func(_ *relax.BindingBlock, x relax.Binding) {
				if x.Bound().Name != "kept" {
					return
				}
				ir.Walk(x.BoundValue(), func(n ir.Node) bool {
					for _, o := range m.Origins().Sources(n.Meta().Origin) {
						got = append(got, o.Name)
					}
					return true
				})
			})
			slices.Sort(got)
			if got = slices.Compact(got); !slices.Equal(got, c.want) {
				t.Errorf("it comes from %v, want %v", got, c.want)
			}
		})
	}
}
