package lower

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// maxSlots bounds the variables that one allocation becomes.
const maxSlots = 128

// maxStackAlloc is the largest allocation, in bytes, that goes to the stack area.
const maxStackAlloc = 16 << 10

// slots is an allocation that is kept in variables: element i is lane i%k of vars[i/k].
type slots struct {
	elem dtype.DType
	k    int64
	vars []*Variable
}

// allocate gives an allocation variables, a place in the stack area, or a workspace.
func (w *Walker) allocate(s *tir.Allocate) {
	what := KindName(s)
	w.checkStorage(s.Type, what)
	if sl := w.trySlots(s); sl != nil {
		w.slots[s.Var] = sl
		w.stmt(s.Body)
		return
	}
	w.OwnClass(s.Var)
	n, known, err := AllocatedElements(s, maxStackAlloc)
	if err != nil {
		w.Fail(what, "%v", err)
	}
	if bytes := n * ElemBytes(s.Type); known && bytes <= maxStackAlloc {
		if at := w.gen.Stack(bytes); at != nil {
			w.Vars[s.Var] = One(dtype.HandleT, at)
			w.stmt(s.Body)
			return
		}
	}
	w.workspace(s, what)
}

// workspace asks the host for memory and gives it back after the body.
func (w *Walker) workspace(s *tir.Allocate, what string) {
	size := w.Int(64, int64(s.Type.Lanes)*ElemBytes(s.Type))
	for _, e := range s.Extents {
		size = w.Fn(Mul, size, w.extended(w.ScalarExpr(e, what), ExtendS))
	}
	ptr := w.gen.Workspace(size, s.Type.Elem())
	w.Branch(w.Fn(Eqz, ptr), "nomemory", w.gen.NoMemory, nil)
	w.Vars[s.Var] = One(dtype.HandleT, ptr)
	w.stmt(s.Body)
	w.gen.FreeWorkspace(ptr)
}

// extended brings an integer to 64 bits.
func (w *Walker) extended(n *Node, by Fn) *Node {
	if w.bitsOf(n) == 64 {
		return n
	}
	return w.Fn(by, n)
}

// trySlots decides whether an allocation is kept in variables: all accesses must have constant indices, and those of vectors must be whole parts.
func (w *Walker) trySlots(s *tir.Allocate) *slots {
	elem := s.Type.Elem()
	count, k := w.Effects.Slots(s, maxSlots, func(n int64) int64 { return int64(w.native(elem.WithLanes(int(n)))) })
	if most := w.Machine.Vectors; k == 0 || k > 1 && most > 0 && int(count) > most {
		return nil
	}
	t := w.Machine.Vector(int(k) * int(elem.Bits))
	if k == 1 {
		t = w.ValType(elem, KindName(s))
	}
	out := &slots{elem: elem, k: k}
	for range count {
		out.vars = append(out.vars, w.NewVariable(s.Var, s.Var.Name, t))
	}
	w.Instead[s.Var] = out.vars
	return out
}

// InVariables reports whether an allocation is kept in variables.
func (w *Walker) InVariables(v *tir.Var) bool { return w.slots[v] != nil }

// part is the value of one variable.
func (s *slots) part(n *Node) Value {
	return Value{DType: s.elem.WithLanes(int(s.k)), Parts: []*Node{n}}
}

// loadSlots reads variables. The scan has seen that the index is constant.
func (w *Walker) loadSlots(s *slots, at int64, dt dtype.DType) Value {
	n := int64(dt.Lanes)
	if s.k > 1 && n == 1 {
		return One(dt, w.LaneOf(s.part(w.Read(s.vars[at/s.k])), int(at%s.k)))
	}
	var parts []*Node
	for i := at / s.k; i < (at+n)/s.k; i++ {
		parts = append(parts, w.Read(s.vars[i]))
	}
	if s.k > 1 {
		return Value{DType: dt, Parts: parts}
	}
	return w.Pack(dt, parts)
}

// storeSlots assigns variables.
func (w *Walker) storeSlots(s *slots, at int64, v Value) {
	parts := v.Parts
	switch {
	case s.k == 1:
		parts = w.Scalars(v)
	case v.Lanes() == 1:
		x := s.vars[at/s.k]
		parts = []*Node{w.gen.Replace(s.elem, int(s.k), w.Read(x), int(at%s.k), v.Scalar())}
	}
	for i, part := range parts {
		w.Set(s.vars[at/s.k+int64(i)], part)
	}
}

// promote runs a loop with the elements that it accumulates into kept in variables.
func (w *Walker) promote(e *LoopEffects, loop func()) {
	sums := w.Accumulators(e, func(v *tir.Var) bool { _, ok := w.Vars[v]; return ok && w.slots[v] == nil })
	for _, a := range sums {
		x := w.bufferLoad(&tir.BufferLoad{Buffer: a.Buffer, Indices: []tir.Expr{a.Index}})
		for _, part := range x.Parts {
			v := w.NewVariable(a.Pointer, a.Pointer.Name+"_sum", part.Type)
			w.Set(v, part)
			w.Instead[a.Pointer] = append(w.Instead[a.Pointer], v)
		}
		w.promoted[a.Pointer] = Value{DType: x.DType, Mask: x.Mask}
	}
	loop()
	for _, a := range sums {
		x := w.loadPromoted(a.Pointer)
		delete(w.promoted, a.Pointer)
		delete(w.Instead, a.Pointer)
		what := "BufferStore to " + a.Buffer.Name
		w.storeLanes(w.access(a.Buffer, w.Place(a.Buffer, []tir.Expr{a.Index}, what), x.DType, nil, what), x)
	}
}

func (w *Walker) loadPromoted(v *tir.Var) Value {
	vars, form := w.Instead[v], w.promoted[v]
	return Each(form.DType, form.Mask, len(vars), func(i int) *Node { return w.Read(vars[i]) })
}

func (w *Walker) storePromoted(ptr *tir.Var, v Value) {
	vars, form := w.Instead[ptr], w.promoted[ptr]
	v = w.inForm(v, len(vars) < form.Lanes(), form.Mask)
	for i, x := range vars {
		w.Set(x, v.Parts[i])
	}
}
