package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// tensorNest is the tensors that a value is or holds: one tensor, the nests of the fields of a tuple, or, as nil, none that is planned.
type tensorNest struct {
	tensor *plannedTensor
	fields []*tensorNest
}

// each calls f for the tensors in the order of the fields.
func (n *tensorNest) each(f func(*plannedTensor)) {
	if n == nil {
		return
	}
	if n.tensor != nil {
		f(n.tensor)
	}
	for _, x := range n.fields {
		x.each(f)
	}
}

// findTensors returns the allocations of b that no other block and no closure sees, and for each binding the tensors
// among the arguments that it passes, in order. A view and a tuple keep what they are made of alive.
func (p *memoryPlanner) findTensors(b *relax.BindingBlock, outer map[*relax.Var]bool) (map[*relax.Var]*plannedTensor, [][]*plannedTensor) {
	tensors := map[*relax.Var]*plannedTensor{}
	nests := map[*relax.Var]*tensorNest{}
	uses := make([][]*plannedTensor, len(b.Bindings))
	escape := func(t *plannedTensor) {
		if tensors[t.v] != nil {
			p.c.Declined("plan memory", t.v, "the value may outlive its block")
		}
		delete(tensors, t.v)
	}
	for i, x := range b.Bindings {
		v, value := x.Bound(), x.BoundValue()
		if c := callsOp(value, opBuiltinAlloc); c != nil {
			if t := p.tensor(x, c); t != nil {
				tensors[v], nests[v] = t, &tensorNest{tensor: t}
			}
			continue
		}
		switch p.keeps(value) {
		case keepsAlive:
			nests[v] = nestOf(value, nests)
		case keepsForever:
			usedVars(value, func(u *relax.Var) { nests[u].each(escape) })
		default:
			usedVars(value, func(u *relax.Var) {
				nests[u].each(func(t *plannedTensor) {
					t.refs++
					uses[i] = append(uses[i], t)
				})
			})
		}
	}
	for _, x := range b.Bindings {
		if outer[x.Bound()] {
			nests[x.Bound()].each(escape)
		}
	}
	return tensors, uses
}

// tensor returns what the plan needs to know of an allocation, nil if that is not known.
func (p *memoryPlanner) tensor(x relax.Binding, c *relax.Call) *plannedTensor {
	size, ok := p.size(c)
	kind, known := kindOf(c)
	switch {
	case !ok:
		p.c.Declined("plan memory", x, "the size is not known")
	case !known:
		p.c.Declined("plan memory", x, "the device or memory scope is not known")
	default:
		return &plannedTensor{v: x.Bound(), size: size, kind: kind}
	}
	return nil
}

// nestOf returns the tensors that another name, a tuple, a field of one, or a view is or holds.
func nestOf(value relax.Expr, nests map[*relax.Var]*tensorNest) *tensorNest {
	switch v := value.(type) {
	case *relax.Var:
		return nests[v]
	case *relax.Tuple:
		n := &tensorNest{}
		for _, f := range v.Fields {
			n.fields = append(n.fields, nestOf(f, nests))
		}
		return n
	case *relax.TupleGetItem:
		if n := nestOf(v.Tuple, nests); n != nil && v.Index < len(n.fields) {
			return n.fields[v.Index]
		}
	case *relax.Call: // a view of its first argument, or a closure over the others
		n := &tensorNest{}
		for _, a := range v.Args {
			n.fields = append(n.fields, nestOf(a, nests))
		}
		return n
	}
	return nil
}

// keeping says what a value does with the memory of the variables that it uses.
type keeping int

const (
	keepsNothing keeping = iota // it reads or writes it while it runs
	keepsAlive                  // its result is, or holds, that memory
	keepsForever                // it may be anywhere afterwards
)

func (p *memoryPlanner) keeps(value relax.Expr) keeping {
	switch v := value.(type) {
	case *relax.Var, *relax.Tuple, *relax.TupleGetItem:
		return keepsAlive
	case *relax.If, *relax.Function:
		return keepsForever
	case *relax.Call:
		switch callee := v.Op.(type) {
		case *ir.GlobalVar:
			if _, kernel := p.m.Lookup(callee.Name).(*tir.PrimFunc); kernel {
				return keepsNothing
			}
		case *relax.ExternFunc:
			switch callee.Symbol {
			case builtinNames[opReshape], builtinNames[opMemView], builtinNames[opMemZeroOffset]:
				return keepsAlive
			}
			return keepsNothing // packed functions do not retain what they are given
		case *ir.Op:
			switch callee.Name {
			case opReshape, opMemView, opMemZeroOffset, "relax.make_closure":
				return keepsAlive
			case opShapeOf, "relax.size", "relax.tensor_to_shape", "relax.print", "relax.assert_op", "relax.null_value", opVMCallTIRDyn,
				opMemKillTensor, opMemKillStorage, opVMKillObject:
				return keepsNothing
			}
			if o := op.OfRef(callee); o != nil && o.Allocates {
				return keepsNothing
			}
		}
		return keepsForever
	}
	return keepsNothing
}

// kindOf returns the device, memory scope and element type of an allocation, false if they are not known.
func kindOf(c *relax.Call) (tokenKind, bool) {
	device, ok := c.Args[2].(*relax.PrimValue)
	if !ok {
		return tokenKind{}, false
	}
	n, known := tir.AsInt(device.Value)
	scope, text := c.Args[3].(*relax.StringImm)
	dt, isType := c.Args[1].(*relax.DataTypeImm)
	if !known || !text || !isType {
		return tokenKind{}, false
	}
	return tokenKind{n, scope.Value, dt.Value}, true
}
