package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// ruleFree is the name of the rule.
const ruleFree = "free after the last use"

// KillAfterLastUse frees values as soon as nothing needs them.
var KillAfterLastUse = &pass.Pass{
	Name: "KillAfterLastUse", Kind: pass.Function,
	Doc: "Removes other names of values as CanonicalizeBindings does, and inserts kill_tensor, kill_storage and kill_object after the last use of tensors, storage, and other objects.",
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		f, err := canonicalizeBindings(c, c.Step().Input, f) // another name would keep its value alive
		if err != nil {
			return nil, err
		}
		kills := map[relax.Binding][]relax.Binding{}
		killsIn(c, f.Body, kills)
		m := op.NewExprMutator(c.Step().Input)
		m.Binding = func(b relax.Binding) {
			m.VisitBinding(b)
			for _, k := range kills[b] {
				m.EmitNormalized(k)
			}
		}
		return m.Function(f)
	}),
}

// killsIn finds what ends the lives of the values that s binds and does not yield, behind the
// bindings that use them last. A variable that is another name for one stands for it: both are
// one register of the machine.
func killsIn(c *pass.Context, s *relax.SeqExpr, kills map[relax.Binding][]relax.Binding) {
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
			switch v := b.BoundValue().(type) {
			case *relax.If:
				killsIn(c, v.Then, kills)
				killsIn(c, v.Else, kills)
			case *relax.Function:
				killsIn(c, v.Body, kills)
			}
			switch opName(b.BoundValue()) {
			case opMemKillTensor, opMemKillStorage, opVMKillObject:
				usedVars(b.BoundValue(), func(v *relax.Var) { delete(how, root(v)) })
			}
		}
	}
	usedVars(s.Body, func(v *relax.Var) {
		if how[root(v)] != "" {
			c.Declined(ruleFree, root(v), "it is the result, or a part of it")
		}
		delete(how, root(v))
	})
	for _, op := range []string{opMemKillTensor, opMemKillStorage, opVMKillObject} { // at one place, in this order
		for _, v := range order {
			if how[v] == op {
				kill := effect(ir.Base{}, callOp(op, void, v))
				kills[last[v]] = append(kills[last[v]], kill)
				c.Rewrite(ruleFree, nil, kill)
			}
		}
	}
}

// killOp returns the operator that frees what value makes, "" if it makes nothing new or what
// takes no register of its own worth freeing: constants and shapes.
func killOp(value relax.Expr) string {
	switch v := value.(type) {
	case *relax.Call:
		switch opName(v) {
		case opMemAllocStorage:
			return opMemKillStorage
		case opMemKillTensor, opMemKillStorage, opVMKillObject:
			return ""
		}
	case *relax.Tuple, *relax.If, *relax.TupleGetItem:
	default:
		return ""
	}
	switch s := relax.SInfoOf(value).(type) {
	case *relax.TensorStructInfo:
		return opMemKillTensor
	case *relax.TupleStructInfo:
		if len(s.Fields) > 0 {
			return opVMKillObject
		}
	case *relax.ObjectStructInfo:
		return opVMKillObject
	}
	return ""
}
