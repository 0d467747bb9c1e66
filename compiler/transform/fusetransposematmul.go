package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
)

// ruleNTMatmul is the name of the rule in rewrites and decisions.
const ruleNTMatmul = "read a transposed matrix in place"

// FuseTransposeMatmul makes one kernel of a product with a transposed matrix.
var FuseTransposeMatmul = &pass.Pass{
	Name: "FuseTransposeMatmul", Kind: pass.Module,
	Doc: "Replaces a product with a matrix that was transposed before, in the same dataflow block, by a kernel NT_matmul that reads the matrix as it lies in memory. It runs before LegalizeOps, and behind passes that give products to libraries.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		t := &transposedProducts{}
		out, err := lowerPicked(c, "FuseTransposeMatmul", m, t.scan, t.pick)
		if err != nil || out == m {
			return out, err
		}
		return dropUnused(c, out, t.used)
	},
}

// transposedProducts knows which variables are transposed matrices.
type transposedProducts struct {
	by    map[*relax.Var]*relax.Call         // the call that transposes
	block map[*relax.Var]*relax.BindingBlock // of variables of dataflow blocks
	used  map[*relax.Var]bool                // those that products do not use any more
}

// scan finds the transposed matrices of f.
func (t *transposedProducts) scan(f *relax.Function) {
	t.by, t.block = map[*relax.Var]*relax.Call{}, map[*relax.Var]*relax.BindingBlock{}
	if hasInplace(f) {
		return // the matrix may be written over before the product
	}
	relax.EachBinding(f.Body, func(blk *relax.BindingBlock, b relax.Binding) {
		if !blk.Dataflow {
			return
		}
		t.block[b.Bound()] = blk
		if call := callsOp(b.BoundValue(), "relax.permute_dims"); call != nil && len(call.Args) == 1 && swapsLast(call) {
			t.by[b.Bound()] = call
		}
	})
}

// pick returns the kernel of a product whose second factor is a transposed matrix.
func (t *transposedProducts) pick(vb *relax.VarBinding) *lowered {
	call := callsOp(vb.Value, "relax.matmul")
	if call == nil || len(call.Args) != 2 {
		return nil
	}
	v, ok := call.Args[1].(*relax.Var)
	if !ok || t.by[v] == nil || t.block[vb.Var] != t.block[v] {
		return nil
	}
	return &lowered{hint: "NT_matmul", why: ruleNTMatmul, rule: func(k *kernel) ([]*te.Tensor, error) {
		a, b := k.tensor(0), k.param(t.by[v].Args[0], 1)
		if k.err != nil {
			return nil, k.err
		}
		k.absorbed = append(k.absorbed, t.by[v].Origin)
		t.used = with(t.used, v)
		return list(topi.Matmul(a, b, topi.MatmulOpts{TransposeB: true, Out: k.out(0).DType}))
	}}
}

// dropUnused removes the bindings of those of vars that nothing uses any more.
func dropUnused(c *pass.Context, m *ir.Module, vars map[*relax.Var]bool) (*ir.Module, error) {
	return eachFunction(c, m, func(_ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		unused := map[*relax.Var]bool{}
		relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
			if v := b.Bound(); vars[v] && v.Dataflow {
				unused[v] = true
			}
		})
		if len(unused) == 0 {
			return f, nil
		}
		eachUse(f, func(v *relax.Var) { delete(unused, v) })
		mu := op.NewExprMutator(m)
		mu.Binding = func(b relax.Binding) {
			if !unused[b.Bound()] {
				mu.VisitBinding(b)
				return
			}
			c.Rewrite("remove a transposed matrix that nothing uses", b, nil)
		}
		return mu.Function(f)
	})
}

// eachUse calls f for each variable that stands in n other than to be bound.
func eachUse(n ir.Node, f func(*relax.Var)) {
	ir.Walk(n, func(n ir.Node) bool {
		switch n := n.(type) {
		case *relax.Var:
			f(n)
		case relax.Binding:
			eachUse(n.BoundValue(), f)
			return false
		case relax.StructInfo, tir.Expr:
			return false
		}
		return true
	})
}
