package lower

import "github.com/irscope/irscope/compiler/tir"

// quad is how many stores make a transposition, and how many lanes of 32 bits a row of it has.
const quad = 4

// statements translates a list of them.
func (w *Walker) statements(list []tir.Stmt) {
	for len(list) > 0 {
		if w.transpose(list) {
			list = list[quad:]
			continue
		}
		w.stmt(list[0])
		list = list[1:]
	}
}

// transpose translates the first four of some statements where they write vectors of elements that are apart from each other, each vector of those next to what the one before
// reads: rows of four elements that lie together are read, and transposed in registers. It reports whether they are that.
func (w *Walker) transpose(list []tir.Stmt) bool {
	if w.Machine.Transpose == nil || len(list) < quad {
		return false
	}
	var stores [quad]*tir.BufferStore
	for i := range stores {
		if stores[i] = w.strided(list[i]); stores[i] == nil {
			return false
		}
	}
	first := stores[0].Value.(*tir.BufferLoad)
	from, dt, what := w.Place(first.Buffer, first.Indices, KindName(first)), first.DType(), KindName(stores[0])
	for i, s := range stores {
		x := s.Value.(*tir.BufferLoad)
		next := w.Place(x.Buffer, x.Indices, KindName(x))
		apart := next.At.Add(from.At, -1)
		if x.DType() != dt || x.Buffer.Data != first.Buffer.Data || next.Each != nil || next.Stride != from.Stride || !apart.IsConst() || apart.C != int64(i) ||
			AccessType(s.Buffer, s.Indices) != dt || w.Class(s.Buffer.Data) == w.Class(x.Buffer.Data) {
			return false
		}
	}
	part := w.native(dt)
	if part < quad || int(dt.Lanes)%part != 0 {
		return false
	}
	rows := w.access(first.Buffer, from, dt, nil, what)
	rows.loadPart, _ = w.gen.PartMem(quad * int(dt.Bits))
	var out [quad]Value
	for i := 0; i < int(dt.Lanes); i += part {
		list := make([]*Node, part)
		for k := range list {
			list[k] = w.Load(w.at(rows, i+k, rows.loadPart), nil, rows.v.Name+"_row")
		}
		for j, p := range w.Machine.Transpose(list) {
			out[j].DType, out[j].Parts = dt, append(out[j].Parts, p)
		}
	}
	outer := w.At
	defer func() { w.At = outer }()
	for i, s := range stores {
		w.step()
		w.At = w.memory.from.of(s)
		w.storeLanes(w.access(s.Buffer, w.Place(s.Buffer, s.Indices, what), dt, nil, what), out[i])
	}
	return true
}

// strided returns a statement that copies a vector of elements of 32 bits that are apart from each other to memory, nil if it is another.
func (w *Walker) strided(s tir.Stmt) *tir.BufferStore {
	st, ok := s.(*tir.BufferStore)
	if !ok || st.Predicate != nil && !tir.IsTrue(st.Predicate) {
		return nil
	}
	x, ok := st.Value.(*tir.BufferLoad)
	if !ok || x.Predicate != nil && !tir.IsTrue(x.Predicate) || x.DType().Bits != 32 || x.Buffer.DType.Lanes != 1 || len(x.Indices) == 0 {
		return nil
	}
	at, ok := x.Indices[len(x.Indices)-1].(*tir.Ramp)
	if !ok || tir.IsConst(at.Stride, 1) || w.inRegisters(x.Buffer) || w.inRegisters(st.Buffer) {
		return nil
	}
	return st
}

// inRegisters reports whether the elements of a buffer are variables.
func (w *Walker) inRegisters(b *tir.Buffer) bool {
	_, promoted := w.promoted[b.Data]
	return promoted || w.slots[b.Data] != nil
}
