package transform

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// RewriteDataflowReshape turns kernels that only reshape into views.
var RewriteDataflowReshape = &pass.Pass{
	Name: "RewriteDataflowReshape", Kind: pass.Module,
	Doc: "Replaces calls of kernels that copy their input in order (reshape, expand_dims, flatten) by relax.reshape, which makes a view and copies nothing; what leaves its dataflow block keeps memory of its own. Kernels that nothing calls any more are left to dead code elimination.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		known := map[string]bool{}
		copies := func(name string) bool {
			is, ok := known[name]
			if !ok {
				f, kernel := m.Lookup(name).(*tir.PrimFunc)
				is = kernel && isReshape(f)
				known[name] = is
			}
			return is
		}
		return eachFunction(c, m, func(_ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
			return rewriteReshapes(c, newMutator(c, m, ruleView), f, copies)
		})
	},
}

// ruleView is the name of the rewrite.
const ruleView = "make a view of a copy"

// rewriteReshapes rewrites local variables of dataflow blocks. An output of a block may be the
// function's result, which must not share memory with a parameter.
func rewriteReshapes(ctx *pass.Context, m *relax.ExprMutator, f *relax.Function, copies func(string) bool) (*relax.Function, error) {
	m.Call = func(c *relax.Call) relax.Expr {
		if opName(c) != opCallTIR || len(c.Args) != 2 || m.At() == nil {
			return c
		}
		gv, ok := c.Args[0].(*ir.GlobalVar)
		args, isTuple := c.Args[1].(*relax.Tuple)
		if !ok || !isTuple || len(args.Fields) != 1 || !copies(gv.Name) {
			return c
		}
		v := m.At().Bound()
		if !v.Dataflow {
			ctx.Declined(ruleView, m.At(), "the result leaves its dataflow block, so it needs memory of its own")
			return c
		}
		info, ok := v.SInfo.(*relax.TensorStructInfo)
		if !ok || info.Shape == nil {
			ctx.Declined(ruleView, m.At(), "the shape of the result is not known")
			return c
		}
		view := callOp(opReshape, info, args.Fields[0], info.Shape)
		view.Base = c.Base
		return view
	}
	return m.Function(f)
}

// isReshape reports whether f copies its one input to its one output in row-major order:
// one block, whose store index and load index are the same number in memory.
func isReshape(f *tir.PrimFunc) bool {
	if len(f.Params) < 2 || f.Buffers[0] == nil || f.Buffers[1] == nil {
		return false
	}
	for _, b := range f.Buffers[2:] {
		if b != nil {
			return false
		}
	}
	in, out := f.Buffers[0], f.Buffers[1]
	if in.DType != out.DType || len(in.Strides)+len(out.Strides) > 0 {
		return false
	}
	an := arith.NewAnalyzer()
	store := copyStore(f.Body, an)
	if store == nil || store.Buffer != out {
		return false
	}
	load, ok := store.Value.(*tir.BufferLoad)
	if !ok || load.Buffer != in {
		return false
	}
	if !an.CanProveEqual(product(in.Shape), product(out.Shape)) {
		return false
	}
	return an.CanProveEqual(flatIndex(in, load.Indices), flatIndex(out, store.Indices))
}

func product(shape []tir.Expr) tir.Expr {
	n := tir.Expr(tir.Int(1))
	for _, d := range shape {
		n = tir.Mul(n, tir.CastTo(n.DType(), d))
	}
	return n
}

func flatIndex(b *tir.Buffer, indices []tir.Expr) tir.Expr {
	at := tir.Expr(tir.Int(0))
	for i, e := range indices {
		at = tir.Add(tir.Mul(at, tir.CastTo(at.DType(), b.Shape[i])), tir.CastTo(at.DType(), e))
	}
	return at
}

// copyStore returns the only store of a nest of plain loops around one block without
// predicate, and binds the block's variables in an; nil for other bodies.
func copyStore(s tir.Stmt, an *arith.Analyzer) *tir.BufferStore {
	switch s := s.(type) {
	case *tir.For:
		return copyStore(s.Body, an)
	case *tir.BlockRealize:
		if !tir.IsTrue(s.Predicate) || s.Block.Init != nil || len(s.Block.AllocBuffers) > 0 {
			return nil
		}
		for _, iv := range s.Block.IterVars {
			an.BindRange(iv.Var, iv.Dom)
		}
		return copyStore(s.Block.Body, an)
	case *tir.BufferStore:
		return s
	}
	return nil
}
