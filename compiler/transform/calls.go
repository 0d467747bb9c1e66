package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Operators that the lowering passes produce and recognise.
const (
	opCallTIR         = "relax.call_tir"
	opCallTIRInplace  = "relax.call_tir_inplace"
	opCallDPS         = "relax.call_dps_packed"
	opCallPurePacked  = "relax.call_pure_packed"
	opBuiltinAlloc    = "relax.builtin.alloc_tensor"
	opMemAllocStorage = "relax.memory.alloc_storage"
	opMemAllocTensor  = "relax.memory.alloc_tensor"
	opMemKillStorage  = "relax.memory.kill_storage"
	opMemKillTensor   = "relax.memory.kill_tensor"
	opMemView         = "relax.memory.view"
	opMemZeroOffset   = "relax.memory.ensure_zero_offset"
	opVMAllocStorage  = "relax.vm.alloc_storage"
	opVMAllocTensor   = "relax.vm.alloc_tensor"
	opVMKillObject    = "relax.vm.kill_object"
	opVMCallTIRDyn    = "relax.vm.call_tir_dyn"
	opReshape         = "relax.reshape"
	opShapeOf         = "relax.shape_of"
	opCallBuiltin     = "relax.call_builtin_with_ctx"
)

// callOp returns a call of an operator with known struct info.
func callOp(name string, info relax.StructInfo, args ...relax.Expr) *relax.Call {
	return callOpAt(ir.Base{}, name, info, args...)
}

// callOpAt is a call of an operator that comes from base.
func callOpAt(base ir.Base, name string, info relax.StructInfo, args ...relax.Expr) *relax.Call {
	return &relax.Call{Base: base, Op: ir.NewOp(name), Args: args, SInfo: info}
}

// callsOp returns e as a call of the named operator, nil if it is another expression.
func callsOp(e relax.Expr, name string) *relax.Call {
	c, ok := e.(*relax.Call)
	if !ok {
		return nil
	}
	if op, ok := c.Op.(*ir.Op); ok && op.Name == name {
		return c
	}
	return nil
}

// opName returns the name of the operator that e calls, "" if it calls none.
func opName(e relax.Expr) string {
	if c, ok := e.(*relax.Call); ok {
		if op, ok := c.Op.(*ir.Op); ok {
			return op.Name
		}
	}
	return ""
}

func primInt(n int64) relax.Expr { return &relax.PrimValue{Value: tir.Int(n)} }

func str(s string) relax.Expr { return &relax.StringImm{Value: s} }

func dtypeImm(d dtype.DType) relax.Expr { return &relax.DataTypeImm{Value: d} }

// void is the struct info of calls made for their effect.
var void = &relax.TupleStructInfo{}

// effect binds a call made for its effect.
func effect(base ir.Base, c *relax.Call) relax.Binding {
	c.SInfo = void
	return &relax.VarBinding{Base: base, Var: &relax.Var{Name: "_", SInfo: void}, Value: c}
}

// bindNew binds value to a new variable.
func bindNew(base ir.Base, name string, info relax.StructInfo, value relax.Expr) *relax.VarBinding {
	return &relax.VarBinding{Base: base, Var: &relax.Var{Base: base, Name: name, SInfo: info}, Value: value}
}

// eachFunction maps the Relax functions of m for a module pass: failures and panics name the
// function at work, and cancellation is noticed between functions.
func eachFunction(c *pass.Context, m *ir.Module, f func(*ir.GlobalVar, *relax.Function) (*relax.Function, error)) (*ir.Module, error) {
	return ir.MapFuncs(m, func(gv *ir.GlobalVar, fn *relax.Function) (ir.Function, error) {
		if err := c.Err(); err != nil {
			return nil, err
		}
		c.Working(gv.Name)
		out, err := f(gv, fn)
		if err != nil {
			return nil, err
		}
		c.Working("")
		return out, nil
	})
}

// names hands out variable names that a function does not use yet.
type names struct{ ir.Names }

func namesOf(f *relax.Function) *names {
	n := &names{}
	for _, p := range f.Params {
		n.Use(p.Name)
	}
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) { n.Use(b.Bound().Name) })
	return n
}

// fresh returns hint, or hint followed by the first free number.
func (n *names) fresh(hint string) string { return n.Fresh(hint, "") }

// usedVars calls f for each variable that e uses, in order.
func usedVars(e relax.Expr, f func(*relax.Var)) {
	switch e := e.(type) { // nearly all there is, without a step for each struct info
	case *relax.Var:
		f(e)
		return
	case *relax.Call:
		usedVars(e.Op, f)
		for _, a := range e.Args {
			usedVars(a, f)
		}
		return
	case *relax.Tuple:
		for _, x := range e.Fields {
			usedVars(x, f)
		}
		return
	case *ir.Op, *ir.GlobalVar, nil:
		return
	}
	ir.Walk(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *relax.Var:
			f(n)
		case relax.StructInfo, tir.Expr:
			return false
		}
		return true
	})
}

// killedVars returns the variables of f whose life a kill ends, and all other names of theirs:
// nothing may stand for them or they for anything, since it could be used after the kill.
func killedVars(f *relax.Function) map[*relax.Var]bool {
	killed, names := map[*relax.Var]bool{}, map[*relax.Var]*relax.Var{}
	root := func(v *relax.Var) *relax.Var {
		if r := names[v]; r != nil {
			return r
		}
		return v
	}
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		if u, ok := b.BoundValue().(*relax.Var); ok {
			names[b.Bound()] = root(u)
		}
		if v, _ := relax.KilledBy(b.BoundValue()); v != nil {
			killed[root(v)] = true
		}
	})
	for v, r := range names {
		if killed[r] {
			killed[v] = true
		}
	}
	return killed
}

// isVoidInfo reports whether s is the struct info of calls made for their effect.
func isVoidInfo(s relax.StructInfo) bool {
	t, ok := s.(*relax.TupleStructInfo)
	return ok && len(t.Fields) == 0
}

// mapBlocks has do rewrite the blocks of f, inner ones first; outer are the variables that are used outside of the block that binds them.
func mapBlocks(f *relax.Function, do func(b *relax.BindingBlock, outer map[*relax.Var]bool) *relax.BindingBlock) *relax.Function {
	m := &relax.Mapper{}
	m.Expr = func(e relax.Expr) relax.Expr {
		switch e := e.(type) {
		case *relax.SeqExpr:
			s := m.MapSeq(e)
			outer := outerVars(s)
			blocks := &relax.Mapper{Block: func(b *relax.BindingBlock) *relax.BindingBlock { return do(b, outer) }}
			return blocks.MapSeq(s)
		case *relax.If, *relax.Function:
			return m.MapExpr(e)
		}
		return e
	}
	return m.MapFunction(f)
}

// outerVars returns the variables of s that are used outside of the block that binds them.
func outerVars(s *relax.SeqExpr) map[*relax.Var]bool {
	home := map[*relax.Var]*relax.BindingBlock{}
	outer := map[*relax.Var]bool{}
	for _, b := range s.Blocks {
		for _, x := range b.Bindings {
			home[x.Bound()] = b
			usedVars(x.BoundValue(), func(v *relax.Var) { outer[v] = outer[v] || home[v] != b })
		}
	}
	usedVars(s.Body, func(v *relax.Var) { outer[v] = true })
	return outer
}
