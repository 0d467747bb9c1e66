package lower

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Registers whose lanes are combined one after the other are combined together: what halves two of them is one register, whose halves are theirs, so that it takes half of the operations from the
// first halving on, a quarter from the second on, and so on.
const (
	jointLanes = 16
	leastJoint = 4 // registers: with two, moving lanes takes as long as it saves
)

// jointly translates the first of some statements where they store what combines the lanes of registers to memory, so that none changes what another combines. It returns how many statements it has translated.
func (w *Walker) jointly(list []tir.Stmt) int {
	if w.Machine.Opposite == nil || len(w.slots) == 0 || len(list) < leastJoint {
		return 0
	}
	var trees []*tir.Binary
	var rows []Value
	statements := 0
	for _, s := range list {
		st, ok := s.(*tir.BufferStore)
		if !ok || w.slots[st.Buffer.Data] != nil || len(trees) == jointLanes {
			break
		}
		e, v := w.registerIn(st.Value)
		if e == nil || len(trees) > 0 && (e.Op != trees[0].Op || v.DType != rows[0].DType) {
			break
		}
		trees, rows = append(trees, e), append(rows, v)
		statements++
	}
	n := jointLanes
	for n > len(rows) {
		n /= 2
	}
	if n < leastJoint {
		return 0
	}
	sum, ok := w.fold(trees[0].Op, rows[:n])
	if !ok {
		return 0
	}
	w.joint = map[*tir.Binary]Value{}
	for r, e := range trees[:n] { // lanes of a register lie in groups of four, one for each of four rows
		w.joint[e] = One(sum.DType.Elem(), w.LaneOf(sum, r%4*4+r/4))
	}
	for _, s := range list[:n] {
		w.stmt(s)
	}
	w.joint = nil
	return n
}

// fold combines lanes of rows, of which there are so many as a power of two: those that are half of a row apart, then a quarter, and so on, of two rows at a time.
func (w *Walker) fold(op tir.BinaryOp, rows []Value) (Value, bool) {
	for apart := jointLanes / 2; apart > 0; apart /= 2 {
		var next []Value
		for i := 0; i < len(rows); i += 2 {
			x, y := w.Machine.Opposite(rows[i].Parts[0], rows[min(i+1, len(rows)-1)].Parts[0], apart)
			d := rows[i].DType
			v, ok := w.gen.VectorBinary(op, Value{DType: d, Parts: x.self[:]}, Value{DType: d, Parts: y.self[:]})
			if !ok {
				return Value{}, false
			}
			next = append(next, v)
		}
		rows = next
	}
	return rows[0], true
}

// registerIn finds what combines all lanes of one register in e, and the register; nil where that is not once.
func (w *Walker) registerIn(e tir.Expr) (found *tir.Binary, row Value) {
	times := 0
	ir.Walk(e, func(x ir.Node) bool {
		b, ok := x.(*tir.Binary)
		if !ok {
			return true
		}
		v, lanes, ok := w.combined(b)
		if !ok || lanes != jointLanes || v.DType.Bits != 32 || len(v.Parts) != 1 {
			return true
		}
		found, row = b, v
		times++
		return false
	})
	if times != 1 {
		return nil, Value{}
	}
	return found, row
}
