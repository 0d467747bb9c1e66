package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// findTensors returns the allocations of b of known size that no other block and no closure
// sees, with their last uses. A view and a tuple keep what they are made of alive.
func (p *memoryPlanner) findTensors(b *relax.BindingBlock, outer map[*relax.Var]bool) map[*relax.Var]*plannedTensor {
	tensors := map[*relax.Var]*plannedTensor{}
	holds := map[*relax.Var][]*relax.Var{} // allocations that a variable keeps alive
	escape := func(v *relax.Var) {
		for _, a := range holds[v] {
			if tensors[a] != nil {
				p.c.Declined("plan memory", a, "the value may outlive its block")
			}
			delete(tensors, a)
		}
	}
	for i, x := range b.Bindings {
		v, value := x.Bound(), x.BoundValue()
		if c := callsOp(value, opBuiltinAlloc); c != nil {
			bytes, ok := tensorBytes(c, p.bound)
			place, known := placeOf(c)
			switch {
			case !ok:
				p.c.Declined("plan memory", x, "the size is not known")
			case !known:
				p.c.Declined("plan memory", x, "the device or memory scope is not known")
			default:
				tensors[v] = &plannedTensor{bytes: bytes, place: place, last: i}
				holds[v] = []*relax.Var{v}
			}
		} else {
			usedVars(value, func(u *relax.Var) {
				for _, a := range holds[u] {
					if t := tensors[a]; t != nil {
						t.last = i
					}
				}
			})
			switch p.keeps(value) {
			case keepsAlive:
				usedVars(value, func(u *relax.Var) { holds[v] = append(holds[v], holds[u]...) })
			case keepsForever:
				usedVars(value, escape)
			}
		}
	}
	for _, x := range b.Bindings {
		if outer[x.Bound()] {
			escape(x.Bound())
		}
	}
	return tensors
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
			if isVoidInfo(v.SInfo) {
				return keepsNothing // a destination-passing function
			}
		case *ir.Op:
			switch callee.Name {
			case opReshape, "relax.memory.view", "relax.memory.ensure_zero_offset", "relax.make_closure":
				return keepsAlive
			case opShapeOf, "relax.size", "relax.tensor_to_shape", "relax.print", "relax.assert_op", "relax.null_value", opVMCallTIRDyn,
				opMemKillTensor, opMemKillStorage, opVMKillObject:
				return keepsNothing
			}
			if o := op.Lookup(callee.Name); o != nil && o.Allocates {
				return keepsNothing
			}
		}
		return keepsForever
	}
	return keepsNothing
}

// placeOf returns the device and memory scope of an allocation, false if they are not known.
func placeOf(c *relax.Call) (memoryPlace, bool) {
	device, ok := c.Args[2].(*relax.PrimValue)
	if !ok {
		return memoryPlace{}, false
	}
	n, known := tir.AsInt(device.Value)
	scope, text := c.Args[3].(*relax.StringImm)
	if !known || !text {
		return memoryPlace{}, false
	}
	return memoryPlace{n, scope.Value}, true
}

// tensorBytes returns the size of what c allocates if it is known, or bounded.
func tensorBytes(c *relax.Call, bound map[string]int64) (int64, bool) {
	shape, ok := c.Args[0].(*relax.ShapeExpr)
	dt, isType := c.Args[1].(*relax.DataTypeImm)
	if !ok || !isType {
		return 0, false
	}
	dims := make([]int64, len(shape.Values))
	for i, e := range shape.Values {
		sub := map[*tir.Var]tir.Expr{}
		for _, v := range relax.VarsOf(e) {
			n, ok := bound[v.Name]
			if !ok {
				return 0, false
			}
			sub[v] = tir.Const(v.DType(), n)
		}
		n, ok := tir.AsInt(tir.SubstExpr(e, sub))
		if !ok {
			return 0, false
		}
		dims[i] = n
	}
	elems, err := ir.CheckedElements(dims)
	if err != nil {
		return 0, false
	}
	return elems * int64(dt.Value.Bytes()), true
}
