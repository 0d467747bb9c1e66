package transform

import (
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// foldBudget bounds the elements of one folded result, and foldWork the stores that the
// kernels folded in a function run: what is beyond stays in the program, where LiftConstantCalls has
// generated code compute it once. The interpreter takes about a millisecond for foldBudget elements, and another kernel takes a few to be compiled, which all calls like it share.
const (
	foldBudget = 1 << 14
	foldWork   = 1 << 24
)

// FoldConstant computes at compile time what depends on constants only.
var FoldConstant = &pass.Pass{
	Name: "FoldConstant", Level: 2, Kind: pass.Function,
	Doc: "Evaluates calls of kernels and of operators whose arguments are all constants, and replaces them by their results; removes what nothing uses afterwards. Large results are left and reported.",
	Run: pass.EachRelax(func(c *pass.Context, gv *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		if c.Evaluator == nil {
			return f, nil
		}
		mod := c.Step().Input
		fo := &folder{c: c, mod: mod, m: op.NewExprMutator(mod), done: map[foldKey][]*ir.Blob{}}
		fo.m.Binding = fo.binding
		fo.over = overwritesOf(f)
		out, err := fo.m.Function(f)
		if fo.left > 0 {
			c.Report(ir.Diagnostic{
				Severity: ir.Note, Func: gv.Name,
				Message: fmt.Sprintf("%d constant values with %d elements were left to run time: they exceed the budget of %d elements each and %d steps in all", fo.left, fo.leftElems, foldBudget, foldWork),
			})
		}
		if err != nil {
			return nil, err
		}
		return removeUnused(c, mod, out) // the constants that only folded calls read
	}),
}

type folder struct {
	c         *pass.Context
	mod       *ir.Module
	m         *relax.ExprMutator
	over      *overwrites
	done      map[foldKey][]*ir.Blob // results by kernel and arguments: layers often share them
	work      int64
	left      int
	leftElems int64
}

type foldKey struct {
	kernel *tir.PrimFunc
	args   string
}

// binding emits b, with its value replaced by what it computes if all that it takes is constant.
// Uses of a local variable become the constant; those of others go by its name.
func (fo *folder) binding(b relax.Binding) {
	out := fo.m.MapBinding(b)
	if vb, ok := out.(*relax.VarBinding); ok && fo.m.Err() == nil && !fo.over.has(b.Bound()) {
		c, ok := vb.Value.(*relax.Constant)
		if !ok {
			if c = fo.fold(vb); c != nil {
				out = vb.WithValue(c)
				fo.c.Rewrite("fold call on constants", b, out)
			}
		}
		if c != nil && vb.Var.Dataflow {
			fo.m.Remap(b.Bound(), c)
		}
	}
	fo.m.EmitNormalized(out)
}

// fold returns what vb computes, nil if that is not known or too much.
func (fo *folder) fold(vb *relax.VarBinding) *relax.Constant {
	kernel, args, err := fo.kernelOf(vb)
	if kernel == nil && err == nil {
		return nil
	}
	var folded *relax.Constant
	if err == nil {
		folded, err = fo.evaluate(kernel, args, vb)
	}
	if err != nil {
		fo.m.Fail(fmt.Errorf("variable %s: %w", vb.Var.Name, err))
	}
	if folded == nil {
		return nil
	}
	// The value comes from the node and from what its arguments came from.
	ids := []ir.OriginID{vb.Origin}
	for _, a := range args {
		ids = append(ids, a.Meta().Origin)
	}
	return ir.WithOrigin(folded, fo.mod.Origins().Merge("FoldConstant", ids...))
}

// kernelOf returns the kernel that computes what vb binds, with its arguments: that of a
// call_tir, or the one that LegalizeOps makes of an operator which has a constant argument.
// nil if there is none.
func (fo *folder) kernelOf(vb *relax.VarBinding) (*tir.PrimFunc, []relax.Expr, error) {
	if c := callsOp(vb.Value, opCallTIR); c != nil {
		if len(c.Args) != 2 {
			return nil, nil, nil
		}
		gv, ok := c.Args[0].(*ir.GlobalVar)
		if !ok {
			return nil, nil, nil
		}
		kernel, _ := fo.mod.Lookup(gv.Name).(*tir.PrimFunc)
		return kernel, fieldsOf(c.Args[1]), nil
	}
	c, ok := vb.Value.(*relax.Call)
	rule := legalizeRule(opName(vb.Value))
	if !ok || rule == nil || !constantOperands(c) {
		return nil, nil, nil
	}
	if _, err := op.Table().InferCall(c, &relax.InferContext{Func: fo.mod.Lookup}); err != nil {
		return nil, nil, err
	}
	l := &legalizer{ctx: fo.c, mod: fo.mod, edit: ir.NewModule().Edit(), byHash: map[uint64][]string{}, own: map[string]bool{}}
	k := l.newKernel(vb)
	outs, err := k.build(rule)
	if errors.Is(err, errSkip) || err == nil && len(outs) != 1 {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	call, err := k.finish(kernelName(opName(c), outs), outs)
	if err != nil || len(call.Args) != 2 {
		return nil, nil, err
	}
	kernel, _ := l.edit.Lookup(call.Args[0].(*ir.GlobalVar).Name).(*tir.PrimFunc)
	return kernel, k.args, nil
}

// constantOperands reports whether c has a constant among its arguments, and no variable.
func constantOperands(c *relax.Call) bool {
	constant := false
	for _, a := range c.Args {
		variable := false
		ir.Walk(a, func(n ir.Node) bool {
			switch n.(type) {
			case *relax.Constant:
				constant = true
			case *relax.Var, *tir.Var:
				variable = true
			case relax.StructInfo:
				return false
			}
			return true
		})
		if variable {
			return false
		}
	}
	return constant
}

// evaluate returns what the kernel computes for vb if all its arguments are constants and it
// is within the budget, nil otherwise.
func (fo *folder) evaluate(kernel *tir.PrimFunc, fields []relax.Expr, vb *relax.VarBinding) (*relax.Constant, error) {
	info, tensor := vb.Var.SInfo.(*relax.TensorStructInfo)
	if !tensor {
		fo.c.Declined(ruleFold, vb, "the result is not a tensor")
		return nil, nil
	}
	dims, static := info.StaticDims()
	if !static {
		fo.c.Declined(ruleFold, vb, "the shape of the result is not known")
		return nil, nil
	}
	var args []*ir.Blob
	splat := true
	for _, a := range fields {
		k, ok := a.(*relax.Constant)
		if !ok {
			fo.declineArgument(vb, a)
			return nil, nil
		}
		args = append(args, k.Data)
		splat = splat && k.Data.IsSplat()
	}
	n, err := ir.CheckedElements(dims)
	if err != nil {
		return nil, err
	}
	if splat && len(args) > 0 && uniformKernel(kernel) {
		out, err := fo.evaluateSplat(kernel, args, info, dims)
		if out != nil || err != nil {
			return out, err
		}
	}
	work := kernelWork(kernel, args, dims)
	if n > foldBudget || work > foldWork-fo.work {
		fo.left++
		fo.leftElems += n
		if n > foldBudget {
			fo.c.Declinedf(ruleFold, vb, "the result has %d elements, at most %d are folded", n, foldBudget)
		} else {
			fo.c.Declinedf(ruleFold, vb, "the kernel takes %d steps, %d are left for this function", work, foldWork-fo.work)
		}
		return nil, nil
	}
	id := foldKey{kernel: kernel}
	for _, a := range args {
		id.args += a.Digest()
	}
	outs := fo.done[id]
	if outs == nil {
		fo.work += work
		outs, err = fo.c.Evaluator.Eval(fo.c.Context(), kernel, args, []pass.TensorType{{DType: info.DType, Shape: dims}})
		if err != nil {
			return nil, fmt.Errorf("its kernel on constants: %w", err)
		}
		fo.done[id] = outs
	}
	return &relax.Constant{Base: vb.Base, Data: outs[0]}, nil
}

// ruleFold is the name of the rule in decisions.
const ruleFold = "fold"

// declineArgument reports the argument that is no constant.
func (fo *folder) declineArgument(vb *relax.VarBinding, a relax.Expr) {
	if !fo.c.Observed() {
		return
	}
	what := "an argument"
	if v, ok := a.(*relax.Var); ok {
		what = v.Name
	}
	fo.c.Declined(ruleFold, vb, what+" is not a constant")
}

// kernelWork returns how many statements a kernel runs on these arguments; more than foldWork
// where that cannot be told.
func kernelWork(f *tir.PrimFunc, args []*ir.Blob, out []int64) int64 {
	extents := map[*tir.Var]tir.Expr{}
	for i, b := range f.Buffers {
		if b == nil {
			continue
		}
		shape := out
		if i < len(args) {
			shape = args[i].Shape()
		}
		for k, d := range b.Shape {
			if v, ok := d.(*tir.Var); ok && k < len(shape) {
				extents[v] = tir.Const(v.DType(), shape[k])
			}
		}
	}
	var count func(s tir.Stmt) int64
	count = func(s tir.Stmt) int64 {
		switch s := s.(type) {
		case *tir.For:
			n, ok := tir.AsInt(tir.SubstExpr(s.Extent, extents))
			if !ok {
				return foldWork + 1
			}
			body := count(s.Body)
			if n <= 0 || body == 0 {
				return 0
			}
			if body > foldWork/n {
				return foldWork + 1
			}
			return n * body
		case *tir.While:
			return foldWork + 1
		}
		n := int64(0)
		s.EachChild(func(c ir.Node) {
			switch c := c.(type) {
			case *tir.Block:
				n += count(c.Body)
			case tir.Stmt:
				n += count(c)
			}
		})
		return min(max(n, 1), foldWork+1)
	}
	return count(f.Body)
}
