package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// KillAfterLastUse frees values as soon as nothing needs them.
var KillAfterLastUse = &pass.Pass{
	Name: "KillAfterLastUse", Kind: pass.Function,
	Doc: "Inserts kill_tensor, kill_storage and kill_object after the last use of tensors, storage and other objects.",
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		m := &relax.Mapper{}
		m.Expr = func(e relax.Expr) relax.Expr {
			switch e := e.(type) {
			case *relax.SeqExpr:
				return killInSeq(c, m.MapSeq(e))
			case *relax.If, *relax.Function:
				return m.MapExpr(e)
			}
			return e
		}
		return m.MapFunction(f), nil
	}),
}

// killInSeq kills the values that s binds and does not yield, after the binding that uses
// them last. A variable that is another name for one stands for it: both are one register
// of the machine.
func killInSeq(ctx *pass.Context, s *relax.SeqExpr) *relax.SeqExpr {
	last := map[*relax.Var]relax.Binding{}
	how := map[*relax.Var]string{}
	var order []*relax.Var
	alias := map[*relax.Var]*relax.Var{}
	root := func(v *relax.Var) *relax.Var {
		if r := alias[v]; r != nil {
			return r
		}
		return v
	}
	for _, blk := range s.Blocks {
		for _, b := range blk.Bindings {
			usedVars(b.BoundValue(), func(v *relax.Var) {
				if v = root(v); last[v] != nil {
					last[v] = b
				}
			})
			v := b.Bound()
			if u, ok := b.BoundValue().(*relax.Var); ok {
				alias[v] = root(u)
			}
			if k := killOp(b.BoundValue()); k != "" {
				how[v] = k
				last[v] = b
				order = append(order, v)
			}
			switch opName(b.BoundValue()) {
			case opMemKillTensor, opMemKillStorage, opVMKillObject:
				usedVars(b.BoundValue(), func(v *relax.Var) { delete(how, root(v)) })
			}
		}
	}
	usedVars(s.Body, func(v *relax.Var) { delete(how, root(v)) })
	kills := map[relax.Binding][]relax.Binding{}
	for _, v := range order {
		if op := how[v]; op != "" {
			kill := effect(ir.Base{}, callOp(op, void, v))
			kills[last[v]] = append(kills[last[v]], kill)
			ctx.Rewrite("free after the last use", nil, kill)
		}
	}
	if len(kills) == 0 {
		return s
	}
	m := &relax.Mapper{Block: func(blk *relax.BindingBlock) *relax.BindingBlock {
		var out []relax.Binding
		changed := false
		for _, b := range blk.Bindings {
			out = append(out, b)
			if k := kills[b]; k != nil {
				out, changed = append(out, k...), true
			}
		}
		if !changed {
			return blk
		}
		c := *blk
		c.Bindings = out
		return &c
	}}
	return m.MapSeq(s)
}

// killOp returns the operator that frees what value makes, "" if it makes nothing new.
func killOp(value relax.Expr) string {
	switch v := value.(type) {
	case *relax.Call:
		switch opName(v) {
		case opMemAllocTensor, opBuiltinAlloc:
			return opMemKillTensor
		case opMemAllocStorage:
			return opMemKillStorage
		case opMemKillTensor, opMemKillStorage, opVMKillObject:
			return ""
		}
		switch relax.SInfoOf(v).(type) {
		case *relax.TensorStructInfo, *relax.ObjectStructInfo, *relax.ShapeStructInfo:
			return opVMKillObject
		case *relax.TupleStructInfo:
			if len(relax.SInfoOf(v).(*relax.TupleStructInfo).Fields) > 0 {
				return opVMKillObject
			}
		}
	case *relax.Tuple:
		if len(v.Fields) > 0 {
			return opVMKillObject
		}
	case *relax.Constant, *relax.If, *relax.TupleGetItem:
		return opVMKillObject
	}
	return ""
}
