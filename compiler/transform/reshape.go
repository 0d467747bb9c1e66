package transform

import (
	"slices"

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
		known := map[string]reshapeKernel{}
		look := func(kernel string) reshapeKernel {
			k, ok := known[kernel]
			if !ok {
				k.why = "the kernel is not a PrimFunc of the module"
				if f, ok := m.Lookup(kernel).(*tir.PrimFunc); ok {
					k = reshapeOf(f)
				}
				known[kernel] = k
			}
			return k
		}
		return eachFunction(c, m, func(_ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
			return rewriteReshapes(c, newMutator(c, m, ruleView), f, look)
		})
	},
}

// ruleView is the name of the rewrite.
const ruleView = "make a view of a copy"

// reshapeKernel is what a kernel does with its inputs: it copies the one at the place input to
// its output in order, unless why says that it does something else.
type reshapeKernel struct {
	input int
	why   string
}

// rewriteReshapes rewrites local variables of dataflow blocks. An output of a block may be the
// function's result, which must not share memory with a parameter. Kernels of several tensors are
// passed over without a decision where they are no copies of one: nobody expects a view of them.
func rewriteReshapes(ctx *pass.Context, m *relax.ExprMutator, f *relax.Function, look func(kernel string) reshapeKernel) (*relax.Function, error) {
	over := overwritesOf(f)
	m.Call = func(c *relax.Call) relax.Expr {
		if opName(c) != opCallTIR || m.At() == nil {
			return c
		}
		gv, ok := c.Args[0].(*ir.GlobalVar)
		args, isTuple := c.Args[1].(*relax.Tuple)
		if !ok || !isTuple {
			return c
		}
		v := m.At().Bound()
		info, ok := v.SInfo.(*relax.TensorStructInfo)
		k := look(gv.Name)
		why := k.why
		switch {
		case why == "" && k.input >= len(args.Fields):
			why = "the kernel has other inputs than the call"
		case why != "":
		case over.has(v) || over != nil && overwritesAny(over, args.Fields[k.input]):
			why = "the kernel's input or result is written over"
		case !v.Dataflow:
			why = "the result leaves its dataflow block, so it needs memory of its own"
		case !ok || info.Shape == nil:
			why = "the shape of the result is not known"
		}
		if why != "" {
			if len(args.Fields) == 1 {
				ctx.Declined(ruleView, m.At(), why)
			}
			return c
		}
		view := callOp(opReshape, info, args.Fields[k.input], info.Shape)
		view.Base = c.Base
		return view
	}
	return m.Function(f)
}

// reshapeOf finds out whether f copies one input to its one output, the last of its buffers, in
// row-major order: one block, whose store index and load index are the same number in memory. It
// may have inputs that it does not read, as what fusion makes of a field of a tuple.
func reshapeOf(f *tir.PrimFunc) reshapeKernel {
	const arity = "the kernel does not have one input and one output"
	n := 0
	for n < len(f.Params) && f.Buffers[n] != nil {
		n++
	}
	for _, b := range f.Buffers[n:] { // scalars stand behind the buffers
		if b != nil {
			return reshapeKernel{why: arity}
		}
	}
	if n < 2 {
		return reshapeKernel{why: arity}
	}
	an := arith.NewAnalyzer()
	iters := map[*tir.Var]*tir.Range{}
	store, why := copyStore(f.Body, an, iters)
	if why != "" {
		return reshapeKernel{why: why}
	}
	out := f.Buffers[n-1]
	load, ok := store.Value.(*tir.BufferLoad)
	switch {
	case store.Buffer != out:
		return reshapeKernel{why: "the kernel does not store to its output"}
	case !ok && n == 2 && f.Buffers[0].DType != out.DType:
		return reshapeKernel{why: "the kernel changes the element type"}
	case !ok:
		return reshapeKernel{why: "the kernel computes what it stores: it does not only copy"}
	}
	input := slices.Index(f.Buffers[:n-1], load.Buffer)
	if input < 0 {
		return reshapeKernel{why: "the kernel does not load from its input"}
	}
	for i, b := range f.Buffers[:n-1] {
		if i != input && usesBuffer(store, b) {
			return reshapeKernel{why: arity}
		}
	}
	in := f.Buffers[input]
	switch {
	case in.DType != out.DType:
		why = "the kernel changes the element type"
	case len(in.Strides)+len(out.Strides) > 0:
		why = "a buffer of the kernel has strides"
	case !an.CanProveEqual(product(in.Shape), product(out.Shape)):
		why = "input and output cannot be proven to have the same number of elements"
	case !sameIndex(flatIndex(in, load.Indices), flatIndex(out, store.Indices), iters, an):
		why = "the kernel cannot be proven to keep the elements in order"
	}
	return reshapeKernel{input, why}
}

// sameIndex tells whether two indices are provably one, if need be as iteration maps, which
// know that an extent may be symbolic and still a multiple.
func sameIndex(a, b tir.Expr, iters map[*tir.Var]*tir.Range, an *arith.Analyzer) bool {
	if an.CanProveEqual(a, b) {
		return true
	}
	simple := func(e tir.Expr) tir.Expr {
		return arith.IterMapSimplify([]tir.Expr{e}, iters, tir.Bool(true), arith.NoCheck, an, true)[0]
	}
	return an.CanProveEqual(simple(a), simple(b))
}

// usesBuffer tells whether s reads b or points to its data, in an index for example.
func usesBuffer(s tir.Stmt, b *tir.Buffer) bool {
	return ir.Any(s, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.BufferLoad:
			return n.Buffer == b
		case *tir.Var:
			return n == b.Data
		}
		return false
	})
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
// predicate, and binds the block's variables in an and iters; or why s is no such nest.
func copyStore(s tir.Stmt, an *arith.Analyzer, iters map[*tir.Var]*tir.Range) (*tir.BufferStore, string) {
	switch s := s.(type) {
	case *tir.For:
		return copyStore(s.Body, an, iters)
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
			iters[iv.Var] = iv.Dom
		}
		return copyStore(s.Block.Body, an, iters)
	case *tir.BufferStore:
		return s, ""
	}
	return nil, "the kernel is not a loop nest around a single store"
}
