package lower

import "github.com/irscope/irscope/compiler/tir"

// quad is how many stores make a transposition, and how many lanes of 32 bits a row of it has; fewer stores leave some of these out, but not less than leastRows.
const (
	quad      = 4
	leastRows = 2
)

// byteRow is the same for bytes.
const byteRow = 16

// statements translates a list of them.
func (w *Walker) statements(list []tir.Stmt) {
	for len(list) > 0 {
		if n := w.transpose(list); n > 0 {
			list = list[n:]
			continue
		}
		if n := w.jointly(list); n > 0 {
			list = list[n:]
			continue
		}
		if len(list) > 1 && w.tileProducts(list[1], list[0]) {
			list = list[2:]
			continue
		}
		w.stmt(list[0])
		list = list[1:]
	}
}

// transpose translates the first of some statements where they write vectors of elements that are apart from each other, each vector of those next to what the one before
// reads: rows of elements that lie together are read, and transposed in registers. Where as many statements are so as a part has lanes, rows are read as wide as that, so that each line of
// memory is read once, and else of four elements, or of what is left over of four. It returns how many statements it has translated.
func (w *Walker) transpose(list []tir.Stmt) int {
	if w.Machine.Transpose == nil || len(list) < leastRows {
		return 0
	}
	st := w.strided(list[0])
	if st == nil {
		return 0
	}
	first := st.Value.(*tir.BufferLoad)
	from, dt, what := w.Place(first.Buffer, first.Indices, KindName(first)), first.DType(), KindName(st)
	part := w.native(dt)
	if part < quad || int(dt.Lanes)%part != 0 {
		return 0
	}
	stores := w.sideBySide(list[:min(len(list), part)], from)
	high := part
	if dt.Bits == 8 && part != byteRow {
		return 0
	}
	if len(stores) < part && dt.Bits == 32 {
		high = quad
	}
	short := len(stores) < high
	if short && (len(stores) < leastRows || dt.Bits != 32 || from.Stride <= quad) { // where rows are as short, lanes are picked from few vectors
		return 0
	}
	stores = stores[:min(len(stores), high)]
	rows := w.access(first.Buffer, from, dt, nil, what)
	rows.loadPart, _ = w.gen.PartMem(high * int(dt.Bits))
	masked, _ := w.gen.MaskedMem(high, int(dt.Bits))
	if short && masked == 0 {
		return 0
	}
	out := make([]Value, high)
	for i := 0; i < int(dt.Lanes); i += part {
		list := make([]*Node, part)
		for k := range list {
			if short && i+k == int(dt.Lanes)-1 { // behind the others there are elements that are read, too
				list[k] = w.Load(w.at(rows, i+k, masked), w.firstLanes(len(stores), high), rows.v.Name+"_row")
				continue
			}
			list[k] = w.Load(w.at(rows, i+k, rows.loadPart), nil, rows.v.Name+"_row")
		}
		for j, p := range w.Machine.Transpose(list, high) {
			out[j].DType, out[j].Parts = dt, append(out[j].Parts, p) // of short rows the last ones are of no use
		}
	}
	outer := w.At
	defer func() { w.At = outer }()
	for i, s := range stores {
		w.step()
		w.At = w.memory.from.of(s)
		w.storeLanes(w.access(s.Buffer, w.Place(s.Buffer, s.Indices, what), dt, nil, what), out[i])
	}
	return len(stores)
}

// sideBySide returns the first of some statements that copy elements side by side, the first of them from a place: each reads behind each element that the one before reads.
func (w *Walker) sideBySide(list []tir.Stmt, from Place) []*tir.BufferStore {
	var out []*tir.BufferStore
	for i, s := range list {
		st := w.strided(s)
		if st == nil {
			break
		}
		x := st.Value.(*tir.BufferLoad)
		if i > 0 {
			first := out[0].Value.(*tir.BufferLoad)
			next := w.Place(x.Buffer, x.Indices, KindName(x))
			apart := next.At.Add(from.At, -1)
			if x.DType() != first.DType() || x.Buffer.Data != first.Buffer.Data || next.Each != nil || next.Stride != from.Stride || !apart.IsConst() || apart.C != int64(i) {
				break
			}
		}
		if AccessType(st.Buffer, st.Indices) != x.DType() || w.Class(st.Buffer.Data) == w.Class(x.Buffer.Data) {
			break
		}
		out = append(out, st)
	}
	return out
}

// strided returns a statement that copies a vector of bytes or elements of 32 bits that are apart from each other to memory, nil if it is another.
func (w *Walker) strided(s tir.Stmt) *tir.BufferStore {
	st, ok := s.(*tir.BufferStore)
	if !ok || st.Predicate != nil && !tir.IsTrue(st.Predicate) {
		return nil
	}
	x, ok := st.Value.(*tir.BufferLoad)
	if !ok || x.Predicate != nil && !tir.IsTrue(x.Predicate) || x.DType().Bits != 32 && x.DType().Bits != 8 || x.DType().IsBool() || x.Buffer.DType.Lanes != 1 || len(x.Indices) == 0 {
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
