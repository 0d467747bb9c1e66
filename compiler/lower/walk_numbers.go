package lower

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// squares adds up the squares of what goes into maxima, which are those of numbers meanwhile.
type squares struct {
	watched map[tir.Expr]bool
	sums    map[dtype.DType][]*Variable // by type of a register
	next    int
	added   map[*Node]bool // nodes whose squares are in the sums already where at is reached
	at      *Region
}

// runTwice translates a turn whose maxima are those of numbers, and behind it, where one of what went into them is NaN, the turn as it is.
func (w *Walker) runTwice(s *tir.IfThenElse, m *maxima) {
	q := &squares{watched: m.watched, sums: map[dtype.DType][]*Variable{}}
	n := m.sums
	for _, p := range m.parts {
		for range n {
			v := w.NewVariable(nil, "squares", w.Machine.Vector(int(p.Bits)*int(p.Lanes)))
			q.sums[p] = append(q.sums[p], v)
			w.Set(v, w.gen.SplatPart(p, w.Number(p.Elem(), 0, ""), int(p.Lanes)))
		}
		n = 1
	}
	w.squares = q
	w.straight(s.Then)
	w.squares = nil
	var wrong *Node
	for _, p := range m.parts {
		part := func(n *Node) Value { return Value{DType: p, Parts: []*Node{n}} }
		sum := part(w.fresh(q.sums[p][0]))
		for _, v := range q.sums[p][1:] {
			sum, _ = w.gen.VectorBinary(tir.OpAdd, sum, part(w.fresh(v)))
		}
		same, _ := w.gen.VectorBinary(tir.OpEQ, sum, sum)
		nan := w.Fn(Eqz, w.gen.AllTrue(same))
		if wrong == nil {
			wrong = nan
		} else {
			wrong = w.Fn(Or, wrong, nan)
		}
	}
	w.Branch(wrong, "nan", func() { w.straight(s.Else) }, nil)
}

// watch adds up the squares of e, whose value is v, if that is one of those that are watched.
func (q *squares) watch(w *Walker, e tir.Expr, v Value) {
	if q == nil || !q.watched[e] {
		return
	}
	if q.at != w.Cur {
		q.at, q.added = w.Cur, map[*Node]bool{}
	}
	d := v.DType.Elem()
	for _, x := range v.Parts {
		if q.added[x] {
			continue
		}
		q.added[x] = true
		sums := q.sums[d.WithLanes(v.Lanes()/len(v.Parts))]
		sum := sums[q.next%len(sums)]
		q.next++
		w.Set(sum, w.gen.Math("fma", []*Node{x, x, w.fresh(sum)}, d, true, "Max"))
	}
}
