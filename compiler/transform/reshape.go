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
		known := map[string]string{}
		whyNot := func(kernel string) string {
			why, ok := known[kernel]
			if !ok {
				why = "the kernel is not a PrimFunc of the module"
				if f, ok := m.Lookup(kernel).(*tir.PrimFunc); ok {
					why = whyNoReshape(f)
				}
				known[kernel] = why
			}
			return why
		}
		return eachFunction(c, m, func(_ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
			return rewriteReshapes(c, newMutator(c, m, ruleView), f, whyNot)
		})
	},
}

// ruleView is the name of the rewrite.
const ruleView = "make a view of a copy"

// rewriteReshapes rewrites local variables of dataflow blocks. An output of a block may be the
// function's result, which must not share memory with a parameter. Kernels of several tensors are
// passed over without a decision: nobody expects a view of them.
func rewriteReshapes(ctx *pass.Context, m *relax.ExprMutator, f *relax.Function, whyNot func(kernel string) string) (*relax.Function, error) {
	over := overwritesOf(f)
	m.Call = func(c *relax.Call) relax.Expr {
		if opName(c) != opCallTIR || m.At() == nil {
			return c
		}
		gv, ok := c.Args[0].(*ir.GlobalVar)
		args, isTuple := c.Args[1].(*relax.Tuple)
		if !ok || !isTuple || len(args.Fields) != 1 {
			return c
		}
		v := m.At().Bound()
		info, ok := v.SInfo.(*relax.TensorStructInfo)
		why := whyNot(gv.Name)
		switch {
		case len(c.Args) != 2:
			why = "the kernel takes integers besides its tensor"
		case why != "":
		case over.has(v) || over != nil && overwritesAny(over, args.Fields[0]):
			why = "the kernel's input or result is written over"
		case !v.Dataflow:
			why = "the result leaves its dataflow block, so it needs memory of its own"
		case !ok || info.Shape == nil:
			why = "the shape of the result is not known"
		}
		if why != "" {
			ctx.Declined(ruleView, m.At(), why)
			return c
		}
		view := callOp(opReshape, info, args.Fields[0], info.Shape)
		view.Base = c.Base
		return view
	}
	return m.Function(f)
}

// whyNoReshape is empty if f copies its one input to its one output in row-major order: one block,
// whose store index and load index are the same number in memory. Otherwise it is what f does
// instead.
func whyNoReshape(f *tir.PrimFunc) string {
	const arity = "the kernel does not have one input and one output"
	if len(f.Params) < 2 || f.Buffers[0] == nil || f.Buffers[1] == nil {
		return arity
	}
	for _, b := range f.Buffers[2:] {
		if b != nil {
			return arity
		}
	}
	in, out := f.Buffers[0], f.Buffers[1]
	switch {
	case in.DType != out.DType:
		return "the kernel changes the element type"
	case len(in.Strides)+len(out.Strides) > 0:
		return "a buffer of the kernel has strides"
	}
	an := arith.NewAnalyzer()
	store, why := copyStore(f.Body, an)
	if why != "" {
		return why
	}
	load, ok := store.Value.(*tir.BufferLoad)
	switch {
	case store.Buffer != out:
		return "the kernel does not store to its output"
	case !ok:
		return "the kernel computes what it stores: it does not only copy"
	case load.Buffer != in:
		return "the kernel does not load from its input"
	case !an.CanProveEqual(product(in.Shape), product(out.Shape)):
		return "input and output cannot be proven to have the same number of elements"
	case !an.CanProveEqual(flatIndex(in, load.Indices), flatIndex(out, store.Indices)):
		return "the kernel cannot be proven to keep the elements in order"
	}
	return ""
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
// predicate, and binds the block's variables in an; or why s is no such nest.
func copyStore(s tir.Stmt, an *arith.Analyzer) (*tir.BufferStore, string) {
	switch s := s.(type) {
	case *tir.For:
		return copyStore(s.Body, an)
	case *tir.BlockRealize:
		switch {
		case !tir.IsTrue(s.Predicate):
			return nil, "a block of the kernel has a predicate"
		case s.Block.Init != nil:
			return nil, "a block of the kernel is a reduction"
		case len(s.Block.AllocBuffers) > 0:
			return nil, "the kernel allocates memory"
		}
		for _, iv := range s.Block.IterVars {
			an.BindRange(iv.Var, iv.Dom)
		}
		return copyStore(s.Block.Body, an)
	case *tir.BufferStore:
		return s, ""
	}
	return nil, "the kernel is not a loop nest around a single store"
}
