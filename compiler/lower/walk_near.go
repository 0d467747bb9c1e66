package lower

import (
	"cmp"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Statements that run behind each other often read lanes of the same rows, as each column of a window that moves by two does. What one of them picks its lanes from is then read for all:
//
//	X[i : i+32 : 2], X[i+1 : i+33 : 2], X[i+2 : i+34 : 2]   are picked from   X[i : i+16], X[i+16 : i+32], X[i+32 : i+48]
//
// Memory between two elements that surely are read of one buffer may be read too, so windows reach beyond the lanes of each, but never before the first or behind the last element of all.

// rows are the elements at constant distances from each other that statements behind each other read of a buffer.
type rows struct {
	of    *tir.Var
	at    Lin // of the first read
	reads []run
	last  int64
	// starts are the reads that do not start within so many lanes of the one before them in starts.
	starts []int
	lanes  int64
}

// run is the first and the last element, from the place of the rows, that a vector is read of, and all of them.
type run struct {
	first, last int64
	elements    []int64
}

// straight translates a statement, all of which runs, or nothing.
func (w *Walker) straight(s tir.Stmt) {
	if !w.picks {
		w.stmt(s)
		return
	}
	outer := w.near
	w.near = nil
	w.lookAhead(s)
	w.sortRows()
	w.stmt(s)
	w.near = outer
}

// sortRows puts the reads of each row in order, equal ones once.
func (w *Walker) sortRows() {
	for _, r := range w.near {
		slices.SortFunc(r.reads, func(a, b run) int {
			return cmp.Or(cmp.Compare(a.first, b.first), slices.Compare(a.elements, b.elements))
		})
		r.reads = slices.CompactFunc(r.reads, func(a, b run) bool { return slices.Equal(a.elements, b.elements) })
		r.last = r.reads[0].last
		for _, x := range r.reads {
			r.last = max(r.last, x.last)
		}
	}
}

// picksLanes reports whether lanes of vectors are picked somewhere in s.
func (w *Walker) picksLanes(s tir.Stmt) bool {
	found := false
	if w.Machine.Pick != nil && w.Machine.PicksMany > 0 {
		ir.Walk(s, func(n ir.Node) bool {
			load, ok := n.(*tir.BufferLoad)
			found = found || ok && apartFrom(load)
			return !found
		})
	}
	return found
}

// apartFrom reports whether a load is of a vector whose lanes may not lie side by side.
func apartFrom(e *tir.BufferLoad) bool {
	if d := e.DType(); d.Lanes < quad || d.Bits != 32 || e.Predicate != nil || len(e.Indices) != 1 || e.Buffer.DType.Lanes != 1 || e.Buffer.ElemOffset != nil || len(e.Buffer.Strides) > 0 {
		return false
	}
	switch x := e.Indices[0].(type) {
	case *tir.Ramp:
		return !tir.IsConst(x.Stride, 1)
	case *tir.Broadcast:
		return false
	}
	return true
}

// lookAhead notes the vectors that s surely reads. It reports whether what follows s surely runs.
func (w *Walker) lookAhead(s tir.Stmt) bool {
	w.step()
	switch s := s.(type) {
	case *tir.SeqStmt:
		for _, x := range s.Seq {
			if !w.lookAhead(x) {
				return false
			}
		}
	case *tir.LetStmt:
		if !w.ahead(s.Value) {
			return false
		}
		w.BindLet(s.Var, s.Value) // what indices are made of may be in no linear form
		return w.lookAhead(s.Body)
	case *tir.Allocate:
		return w.lookAhead(s.Body)
	case *tir.DeclBuffer:
		return w.lookAhead(s.Body)
	case *tir.BufferStore:
		if s.Predicate == nil {
			w.readsOf(s.Value)
		}
	default:
		return false
	}
	return true
}

// ahead reports whether an integer can be computed before the statement that it belongs to.
func (w *Walker) ahead(e tir.Expr) bool {
	ok := true
	ir.Walk(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Var:
			_, linear := w.Linear[n]
			_, known := w.Vars[n]
			ok = ok && (linear || known)
		case *tir.IntImm, *tir.Binary, *tir.Ramp, *tir.Broadcast:
		case *tir.Cast:
			ok = ok && n.Type.IsInteger() && n.Value.DType().IsInteger()
		case *tir.Call:
			ok = ok && dividesByPower(n)
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// readsOf notes the vectors that an expression reads in any case.
func (w *Walker) readsOf(e tir.Expr) {
	switch e := e.(type) {
	case *tir.BufferLoad:
		if apartFrom(e) && w.ahead(e.Indices[0]) {
			if at, distances, ok := w.apart(e.Indices[0]); ok {
				w.note(e.Buffer.Data, at, distances)
			}
		}
	case *tir.Cast:
		w.readsOf(e.Value)
	case *tir.Select: // may read both
		w.readsOf(e.True)
		w.readsOf(e.False)
	case *tir.Call:
		if _, ok := tir.IsCallTo(e, tir.OpFma); ok {
			for _, x := range e.Args {
				w.readsOf(x)
			}
		}
	case *tir.Binary:
		w.readsOf(e.A)
		if e.Op != tir.OpAnd && e.Op != tir.OpOr {
			w.readsOf(e.B)
		}
	}
}

// note adds a read to the rows that it belongs to.
func (w *Walker) note(of *tir.Var, at Lin, elements []int64) {
	r := w.rowsAt(of, at)
	if r == nil {
		r = &rows{of: of, at: at}
		w.near = append(w.near, r)
	}
	from := at.C - r.at.C
	elements = slices.Clone(elements)
	for i := range elements {
		elements[i] += from
	}
	r.reads = append(r.reads, run{slices.Min(elements), slices.Max(elements), elements})
}

// rowsAt finds the rows that are at constant distances from a place.
func (w *Walker) rowsAt(of *tir.Var, at Lin) *rows {
	for _, r := range w.near {
		if r.of == of && at.Add(r.at, -1).IsConst() {
			return r
		}
	}
	return nil
}

// rowOf returns the elements, from a place on, of the reads that start within so many lanes of each other, those of a read at that place among them, and between which elements memory may be read. A read
// that was not noted is alone.
func (w *Walker) rowOf(of *tir.Var, at Lin, elements []int64, lanes int64) (row []int64, first, last int64) {
	first, last = slices.Min(elements), slices.Max(elements)
	r := w.rowsAt(of, at)
	if r == nil {
		return elements, first, last
	}
	from := at.C - r.at.C
	row = r.row(first+from, lanes)
	for i := range row {
		row[i] -= from
	}
	if slices.ContainsFunc(elements, func(n int64) bool { return !slices.Contains(row, n) }) { // it may not run
		return elements, first, last
	}
	return row, r.reads[0].first - from, r.last - from
}

// row is the elements of the reads that start within so many lanes of the first one of them, as the reads do that start at an element; nil where there are none.
func (r *rows) row(first, lanes int64) []int64 {
	if r.lanes != lanes {
		r.lanes, r.starts = lanes, r.starts[:0]
		for i, x := range r.reads {
			if i == 0 || x.first >= r.reads[r.starts[len(r.starts)-1]].first+lanes {
				r.starts = append(r.starts, i)
			}
		}
	}
	k, found := slices.BinarySearchFunc(r.starts, first, func(i int, first int64) int { return cmp.Compare(r.reads[i].first, first) })
	if !found {
		k--
	}
	if k < 0 {
		return nil
	}
	end := len(r.reads)
	if k+1 < len(r.starts) {
		end = r.starts[k+1]
	}
	var row []int64
	for _, x := range r.reads[r.starts[k]:end] {
		row = append(row, x.elements...)
	}
	return row
}
