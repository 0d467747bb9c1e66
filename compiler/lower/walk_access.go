package lower

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// pointer returns the address that a pointer variable holds.
func (w *Walker) pointer(v *tir.Var, what string) *Node {
	x, ok := w.Vars[v]
	if !ok {
		w.Fail(what, "pointer %s is not defined", v.Name)
	}
	return x.Scalar()
}

// checkStorage refuses types that have no whole number of bytes, or are none of the target.
func (w *Walker) checkStorage(d dtype.DType, what string) {
	if !d.IsBool() && d.Bits < 8 {
		w.Fail(what, "cannot address %s: elements smaller than a byte are not supported", d.Elem())
	}
}

// laneAccess accesses lanes of a place through the pointer v.
type laneAccess struct {
	base   *Node
	place  Place
	v      *tir.Var
	elem   dtype.DType
	lanes  int
	part   int     // lanes of a packed vector that are in one part, 0 where it is in scalars
	mask   []*Node // bools, or masks of parts; nil where all lanes are accessed
	vector bool    // whole parts lie in memory as they are

	loadPart, storePart Op // the instructions for parts where vector holds
}

// access prepares an access to a vector of type dt where a predicate holds, which may be nil.
func (w *Walker) access(b *tir.Buffer, p Place, dt dtype.DType, predicate tir.Expr, what string) laneAccess {
	w.ValType(dt.Elem(), what)
	a := laneAccess{place: p, v: b.Data, elem: dt.Elem(), lanes: int(dt.Lanes), part: w.native(dt)}
	bits := int(dt.Bits)
	if a.vector = a.part > 0 && p.Each == nil && p.Stride == 1; a.vector {
		a.loadPart, a.storePart = w.gen.PartMem(a.part * bits)
	}
	if predicate != nil && !tir.IsTrue(predicate) {
		var m Value
		if lanes, ok := w.knownLanes(predicate); ok {
			m = w.known(lanes)
		} else {
			m = w.Expr(predicate)
		}
		if a.vector {
			a.loadPart, a.storePart = w.gen.MaskedMem(a.part, bits)
			a.vector = a.loadPart != 0
		}
		if a.vector {
			m = w.ToMask(m, bits)
			a.mask = m.Parts
		} else {
			a.mask = w.Scalars(m)
		}
	}
	a.base = w.pointer(b.Data, what)
	return a
}

// partMask is the mask of part i, nil where there is none.
func (a laneAccess) partMask(i int) *Node {
	if a.mask == nil {
		return nil
	}
	return a.mask[i]
}

// at is the access to lane i and those behind it.
func (w *Walker) at(a laneAccess, i int, op Op) Access {
	n, off := w.Address(a.base, a.place.Lane(i).Scale(ElemBytes(a.elem)), a.v.Name)
	return Access{Op: op, Address: n, Offset: off, Through: a.v}
}

// named is what an access n of a buffer is called, which is the same for all of its kind.
func named(names map[*tir.Buffer]string, b *tir.Buffer, n any) string {
	name, ok := names[b]
	if !ok {
		name = KindName(n)
		names[b] = name
	}
	return name
}

// bufferLoad translates a read.
func (w *Walker) bufferLoad(e *tir.BufferLoad) Value {
	what := named(w.loads, e.Buffer, e)
	w.checkStorage(e.Buffer.DType, what)
	if s := w.slots[e.Buffer.Data]; s != nil {
		if _, row := constantAccess(e.Buffer, e.Indices); !row {
			elements, _ := constantElements(e.Buffer, e.Indices)
			return w.pickSlots(s, elements)
		}
		return w.loadSlots(s, ConstantIndex(e.Buffer, e.Indices), e.DType())
	}
	if _, ok := w.promoted[e.Buffer.Data]; ok {
		return w.loadPromoted(e.Buffer.Data)
	}
	p := w.Place(e.Buffer, e.Indices, what)
	return w.loadLanes(w.access(e.Buffer, p, e.DType(), e.Predicate, what))
}

func (w *Walker) loadLanes(a laneAccess) Value {
	dt := a.elem.WithLanes(a.lanes)
	op, _ := w.gen.ScalarMem(a.elem)
	one := func(i int) *Node { return w.LoadScalar(w.at(a, i, op), a.elem, a.v.Name+"_x") }
	first, into, _ := w.gen.LaneMem(int(a.elem.Bits))
	switch {
	case a.vector:
		return Each(dt, 0, a.lanes/a.part, func(i int) *Node { return w.Load(w.at(a, i*a.part, a.loadPart), a.partMask(i), a.v.Name+"_v") })
	case a.mask != nil:
		return w.loadMasked(dt, a.mask, one)
	case a.lanes > 1 && a.place.Each == nil && a.place.Stride == 0:
		return w.Splat(dt, one(0))
	}
	if v, ok := w.picked(a, dt); ok {
		return v
	}
	if a.part > 0 && into != 0 {
		return w.gather(a, dt, first, into)
	}
	xs := make([]*Node, a.lanes)
	for i := range xs {
		xs[i] = one(i)
	}
	return w.Pack(dt, xs)
}

// LoadScalar reads an element of type d.
func (w *Walker) LoadScalar(a Access, d dtype.DType, name string) *Node {
	n := w.Load(a, nil, name)
	if d.Bits < 32 && !d.IsInt() { // by an instruction that extends with zeros
		n.Nonneg = true
	}
	return n
}

// gather loads the lanes one by one into vectors.
func (w *Walker) gather(a laneAccess, dt dtype.DType, first, into Op) Value {
	return Each(dt, 0, a.lanes/a.part, func(i int) *Node {
		part := w.gen.SplatPart(dt, w.Number(a.elem, 0, ""), a.part)
		for k := range a.part {
			at := w.at(a, i*a.part+k, into)
			if k == 0 && first != 0 {
				at.Op = first
				part = w.Load(at, nil, "")
			} else {
				at.Lane = uint8(k)
				part = w.Load(at, part, "")
			}
		}
		return part
	})
}

// loadMasked loads only lanes whose predicate holds; the others are zero.
func (w *Walker) loadMasked(dt dtype.DType, mask []*Node, one func(int) *Node) Value {
	xs := make([]*Node, dt.Lanes)
	zero := w.Number(dt.Elem(), 0, "")
	for i := range xs {
		lane := w.NewVariable(nil, "lane", zero.Type)
		w.Set(lane, zero)
		w.Branch(mask[i], "lane", func() { w.Set(lane, one(i)) }, nil)
		xs[i] = w.Read(lane)
	}
	return w.Pack(dt, xs)
}

// bufferStore translates a write.
func (w *Walker) bufferStore(s *tir.BufferStore) {
	what := named(w.stores, s.Buffer, s)
	w.checkStorage(s.Buffer.DType, what)
	want := AccessType(s.Buffer, s.Indices)
	v := w.spread(w.Expr(s.Value), int(want.Lanes))
	w.squares.watch(w, s.Value, v)
	if v.DType != want {
		w.Fail(what, "the value has type %s, expected %s", v.DType, want)
	}
	if sl := w.slots[s.Buffer.Data]; sl != nil {
		w.storeSlots(sl, ConstantIndex(s.Buffer, s.Indices), v)
		return
	}
	if _, ok := w.promoted[s.Buffer.Data]; ok {
		w.storePromoted(s.Buffer.Data, v)
		return
	}
	p := w.Place(s.Buffer, s.Indices, what)
	w.storeLanes(w.access(s.Buffer, p, v.DType, s.Predicate, what), v)
}

func (w *Walker) storeLanes(a laneAccess, v Value) {
	if a.vector {
		for i, part := range v.Parts {
			at := w.at(a, i*a.part, a.storePart)
			if m := a.partMask(i); m != nil {
				w.Store(at, part, m)
			} else {
				w.Store(at, part)
			}
		}
		return
	}
	_, op := w.gen.ScalarMem(a.elem)
	_, _, lane := w.gen.LaneMem(int(a.elem.Bits))
	for i := range v.Lanes() {
		write := func() {
			if a.part > 0 && lane != 0 {
				at := w.at(a, i, lane)
				at.Lane = uint8(i % a.part)
				w.Store(at, v.Parts[i/a.part])
			} else {
				w.Store(w.at(a, i, op), w.LaneOf(v, i))
			}
		}
		if a.mask == nil {
			write()
		} else {
			w.Branch(a.mask[i], "lane", write, nil)
		}
	}
}
