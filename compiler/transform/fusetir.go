package transform

import (
	"errors"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// FuseTIR makes one kernel of each group that FuseOps formed.
var FuseTIR = &pass.Pass{
	Name: "FuseTIR", Kind: pass.Sequential,
	Doc: "Makes one kernel of each group that FuseOps formed, and removes the kernels that nothing calls any more.",
	Children: []*pass.Pass{
		{
			Name: "FuseTIRInner", Kind: pass.Module, Lowering: true,
			Doc: "Joins the kernels that a Primitive function calls into one kernel and calls that with call_tir. What passes between them becomes a buffer of the kernel. A function that does more than kernels can stays one, and is Primitive no more.",
			Run: fuseTIR,
		},
		DeadCodeElimination,
	},
}

// ruleJoin is the name of the rule in decisions.
const ruleJoin = "join the kernels of a group"

func fuseTIR(c *pass.Context, m *ir.Module) (*ir.Module, error) {
	m, err := flatGroups(c, m)
	if err != nil {
		return nil, err
	}
	e := m.Edit()
	d := newDistinct("FuseTIR", m, e)
	kernels, left := map[string]*fusedKernel{}, map[string]*relax.Function{}
	for gv, fn := range m.Funcs() {
		f, ok := fn.(*relax.Function)
		if !ok || !f.Attrs.Has(attrPrimitive) {
			continue
		}
		c.Working(gv.Name)
		if err := c.Err(); err != nil {
			return nil, err
		}
		u, kernel, err := fusePrimFuncs(m, f)
		if none := (*noKernel)(nil); errors.As(err, &none) {
			c.Declined(ruleJoin, f, err.Error())
			left[gv.Name] = f.WithAttrs(f.Attrs.Without(attrPrimitive))
			e.Set(gv.Name, left[gv.Name])
			continue
		} else if err != nil {
			return nil, err
		}
		e.Remove(gv.Name)
		kernels[gv.Name] = &fusedKernel{d.add(gv.Name, kernel), u.inplace}
		c.Rewrite(ruleJoin, f, kernel)
	}
	c.Working("")
	if len(kernels) == 0 && len(left) == 0 {
		warnNotLegalized(c, m, "FuseTIR")
		for gv, fn := range m.Funcs() {
			if f, ok := fn.(*relax.Function); ok {
				c.Working(gv.Name)
				reportAlone(c, f)
			}
		}
		c.Working("")
		return m, nil
	}
	for gv, fn := range m.Funcs() {
		f, ok := fn.(*relax.Function)
		if !ok || kernels[gv.Name] != nil {
			continue
		}
		c.Working(gv.Name)
		reportAlone(c, f)
		if left[gv.Name] != nil {
			f = left[gv.Name]
		}
		out, err := callKernels(newMutator(c, m, "call the joined kernel"), f, kernels)
		if err != nil {
			return nil, err
		}
		e.Set(gv.Name, out)
	}
	c.Working("")
	return d.done(), nil
}

// reportAlone reports the calls of kernels in f that stand in no group.
func reportAlone(c *pass.Context, f *relax.Function) {
	if !c.Observed() {
		return
	}
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		call, ok := b.BoundValue().(*relax.Call)
		switch {
		case !ok:
		case opName(call) == opCallTIR:
			c.Declined(ruleJoin, b, "FuseOps left the kernel in no group")
		case opName(call) == opCallTIRInplace || opName(call) == opCallDPS:
			c.Declined(ruleJoin, b, opName(call)+" is in no group: only results of call_tir are")
		}
	})
}

// flatGroups gives Primitive functions that take tuples a parameter for each field that they use.
func flatGroups(c *pass.Context, m *ir.Module) (*ir.Module, error) {
	tuples := false
	for _, fn := range m.Funcs() {
		if f, ok := fn.(*relax.Function); ok && f.Attrs.Has(attrPrimitive) {
			for _, p := range f.Params {
				_, tuple := p.SInfo.(*relax.TupleStructInfo)
				tuples = tuples || tuple
			}
		}
	}
	if !tuples {
		return m, nil
	}
	m, err := expandTupleArguments(c, m)
	if err != nil {
		return nil, err
	}
	m, err = eachFunction(c, m, func(_ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		out, err := canonicalizeBindings(c, c.Step().Input, f)
		if err != nil {
			return nil, err
		}
		return removeUnused(c, m, out)
	})
	if err != nil {
		return nil, err
	}
	return removeUnusedParams(c, m)
}

// fusedKernel is the kernel of a group.
type fusedKernel struct {
	gv      *ir.GlobalVar
	inplace []int64 // for each result the argument whose memory it takes, or -1; nil if no result takes that of an argument
}

// callKernels turns calls of Primitive functions into call_tirs of their kernels. Arguments that are shapes and scalars are passed as such.
func callKernels(m *relax.ExprMutator, f *relax.Function, kernels map[string]*fusedKernel) (*relax.Function, error) {
	m.Call = func(c *relax.Call) relax.Expr {
		gv, ok := c.Op.(*ir.GlobalVar)
		if !ok || kernels[gv.Name] == nil {
			return c
		}
		k, info := kernels[gv.Name], m.At().Bound().SInfo
		var tensors []relax.Expr
		var scalars []tir.Expr
		for _, a := range c.Args {
			switch s := m.Builder().Context().SInfoOf(a).(type) {
			case *relax.ShapeStructInfo:
				scalars = append(scalars, s.Values...)
			case *relax.PrimStructInfo:
				scalars = append(scalars, s.Value)
			default:
				tensors = append(tensors, a)
			}
		}
		out := &relax.Call{
			Base: c.Base, Op: ir.NewOp(opCallTIR), Args: []relax.Expr{k.gv, &relax.Tuple{Fields: tensors}},
			SInfoArgs: []relax.StructInfo{info}, SInfo: info,
		}
		if len(scalars) > 0 {
			out.Args = append(out.Args, &relax.ShapeExpr{Values: scalars})
		}
		if k.inplace != nil {
			indices := make([]ir.Value, len(k.inplace))
			for i, n := range k.inplace {
				indices[i] = n
			}
			out.Op, out.Attrs = ir.NewOp(opCallTIRInplace), ir.NewAttrs("inplace_indices", indices)
		}
		return out
	}
	return m.Function(f)
}
