package lower

import (
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// A maximum is NaN where an operand is, for which few targets have an instruction: they take several, and a window of a pool is a chain of maxima. So the turns of an outermost loop
// that hardly do anything but take maxima are written twice: first with maxima of numbers (Machine.MaxOfNumbers), beside which squares of what goes into them are added up, and
// behind them, where a sum of squares is NaN, as they are. A sum of squares is NaN where a summand is, and nowhere else: none is negative, so that infinities never cancel.
//
// Running the turn again changes nothing else if it neither reads what it wrote in the first run, nor does anything but write to memory.

// Of a turn that is written twice there are leastMaxima maxima, or the test would not pay, and values to look at are not much more than these. Sums take turns, as one alone would wait for
// itself, and registers that the turn leaves.
const (
	leastMaxima = 64
	mostWatched = 1.25 // for each maximum
	leastSums   = 3
	mostSums    = 4
	workRegs    = 3 // registers for what is neither in variables nor a sum
)

// maxima is what is known of a turn whose maxima may be those of numbers.
type maxima struct {
	watched map[tir.Expr]bool // values that are NaN if a maximum of the turn is
	parts   []dtype.DType     // types of the registers that hold them, the widest first
	sums    int               // how many sums of the widest take turns
}

// numbers replaces turns of outermost loops by two of themselves, in a conditional of which either part does what the turn does. native is the number of lanes of a register for a vector, and registers how many vectors they hold.
func numbers(s tir.Stmt, native func(dtype.DType) int, registers int, from *sources) (tir.Stmt, map[*tir.IfThenElse]*maxima) {
	var found map[*tir.IfThenElse]*maxima
	m := &tir.Mapper{Expr: func(e tir.Expr) tir.Expr { return e }, Buffer: func(b *tir.Buffer) *tir.Buffer { return b }, Var: func(v *tir.Var) *tir.Var { return v }}
	m.Stmt = func(s tir.Stmt) tir.Stmt {
		loop, ok := s.(*tir.For)
		if !ok {
			out := m.MapStmt(s)
			from.note(out, s)
			return out
		}
		x := maximaOf(loop.Body, native, registers)
		if x == nil {
			return s
		}
		c := tir.NewCopier()
		c.Copied = from.note
		both := &tir.IfThenElse{Cond: tir.Bool(true), Then: loop.Body, Else: c.Stmt(loop.Body)}
		if found == nil {
			found = map[*tir.IfThenElse]*maxima{}
		}
		found[both] = x
		from.note(both, loop.Body)
		out := *loop
		out.Body = both
		from.note(&out, loop)
		return &out
	}
	return m.Stmt(s), found
}

// maximaOf returns what is to be watched in a turn; nil where it is not written twice.
func maximaOf(body tir.Stmt, native func(dtype.DType) int, registers int) *maxima {
	r := &turnReader{native: native, memory: map[*tir.Var]*turnMemory{}, sure: true}
	r.stmt(body, 1, true)
	if r.refused || r.maxima < leastMaxima || r.others > r.maxima || slices.ContainsFunc(r.order, func(m *turnMemory) bool { return m.stored() && m.stale }) {
		return nil
	}
	out := &maxima{watched: map[tir.Expr]bool{}}
	watched := 0.0
	watch := func(v turnValue) {
		out.watched[v.e] = true
		watched += v.times
		out.add(v.e.DType(), native)
	}
	for _, v := range r.operands {
		load, ok := v.e.(*tir.BufferLoad)
		if ok && r.memory[load.Buffer.Data].known() {
			continue // what is stored there is watched
		}
		watch(v)
	}
	seen := map[*turnMemory]bool{}
	var stored func(m *turnMemory)
	stored = func(m *turnMemory) {
		if seen[m] || !m.known() {
			return
		}
		seen[m] = true
		for _, v := range m.values {
			if load, ok := v.e.(*tir.BufferLoad); ok && r.memory[load.Buffer.Data].known() {
				stored(r.memory[load.Buffer.Data])
				continue
			}
			watch(v)
		}
	}
	for _, m := range r.order {
		if m.read {
			stored(m)
		}
	}
	if len(out.parts) == 0 || watched > mostWatched*r.maxima || slices.ContainsFunc(out.parts, func(p dtype.DType) bool { return p.Lanes == 0 }) {
		return nil
	}
	bits := func(d dtype.DType) int { return int(d.Bits) * int(d.Lanes) }
	slices.SortStableFunc(out.parts, func(a, b dtype.DType) int { return bits(b) - bits(a) })
	held := len(out.parts) - 1
	for _, m := range r.order {
		if m.known() {
			held += int(m.bits) / bits(out.parts[0])
		}
	}
	out.sums = min(mostSums, registers-held-workRegs)
	if out.sums < leastSums {
		return nil
	}
	return out
}

// add notes the type of the registers of a vector.
func (m *maxima) add(d dtype.DType, native func(dtype.DType) int) {
	part := d.Elem()
	part.Lanes = 0
	if n := native(d); n*int(d.Bits) >= 128 {
		part.Lanes = uint16(n)
	}
	if !slices.Contains(m.parts, part) {
		m.parts = append(m.parts, part)
	}
}

// turnReader reads a turn.
type turnReader struct {
	native         func(dtype.DType) int
	memory         map[*tir.Var]*turnMemory
	order          []*turnMemory
	operands       []turnValue // of maxima of vectors, but for maxima and constants
	maxima, others float64     // registers of maxima, and of other results on floats
	at             int         // statements of the turn that lie behind each other
	sure           bool        // what is read runs in any case
	refused        bool
}

// turnValue is a vector that goes into maxima, and how many registers of it there are in a turn.
type turnValue struct {
	e     tir.Expr
	times float64
}

// turnMemory is what a turn does to the memory of a pointer.
type turnMemory struct {
	values      []turnValue    // that are stored, but for maxima and constants
	wrote       map[int64]bool // elements that are written in any case
	bits        int64          // of these
	first, last int            // the first statement that reads, and the last that writes; 0 where none does
	read        bool           // a maximum reads it
	other       bool           // something else than a whole vector of floats is stored
	stale       bool           // an element may be read before it is written
	between     bool           // it is accessed at a place that is no constant, so that the order of statements must tell
}

func (m *turnMemory) stored() bool { return m != nil && m.last > 0 }

// known reports whether all that maxima read there was stored by the turn, as vectors.
func (m *turnMemory) known() bool { return m.stored() && !m.other && !m.between }

func (r *turnReader) of(v *tir.Var) *turnMemory {
	m := r.memory[v]
	if m == nil {
		m = &turnMemory{wrote: map[int64]bool{}}
		r.memory[v] = m
		r.order = append(r.order, m)
	}
	return m
}

// stmt reads a statement that runs so many times; top is one of the turn itself.
func (r *turnReader) stmt(s tir.Stmt, times float64, top bool) {
	if _, list := s.(*tir.SeqStmt); top && !list {
		r.at++
	}
	switch s := s.(type) {
	case *tir.SeqStmt:
		for _, x := range s.Seq {
			r.stmt(x, times, top)
		}
	case *tir.Allocate:
		r.stmt(s.Body, times, top)
	case *tir.DeclBuffer:
		r.stmt(s.Body, times, top)
	case *tir.LetStmt:
		r.refused = r.refused || s.Var.DType().IsHandle()
		if s.Var.DType().IsFloat() {
			r.expr(s.Value, times)
		} else {
			r.place(s.Value)
		}
		r.stmt(s.Body, times, top)
	case *tir.BufferStore:
		r.store(s, times)
	case *tir.IfThenElse:
		r.place(s.Cond)
		was := r.sure
		r.sure = false
		r.stmt(s.Then, times, false)
		if s.Else != nil {
			r.stmt(s.Else, times, false)
		}
		r.sure = was
	case *tir.For:
		r.place(s.Min)
		r.place(s.Extent)
		n, known := tir.AsInt(s.Extent)
		was := r.sure
		r.sure = was && known && n > 0
		turns := math.Inf(1)
		if known {
			turns = float64(n)
		}
		r.stmt(s.Body, times*max(someTurns(turns), 1), false)
		r.sure = was
	default:
		r.refused = true
	}
}

// store reads a store.
func (r *turnReader) store(s *tir.BufferStore, times float64) {
	for _, i := range s.Indices {
		r.place(i)
	}
	r.expr(s.Value, times)
	m := r.of(s.Buffer.Data)
	m.last = r.at
	masked := s.Predicate != nil && !tir.IsTrue(s.Predicate)
	if masked {
		r.place(s.Predicate)
	}
	if a, ok := constantAccess(s.Buffer, s.Indices); !ok {
		m.between = true
	} else if r.sure && !masked {
		for i := a.at; i < a.at+a.lanes; i++ {
			if !m.wrote[i] {
				m.wrote[i] = true
				m.bits += int64(s.Buffer.DType.Bits)
			}
		}
	}
	m.stale = m.stale || m.between && m.first > 0 && m.first <= m.last
	switch {
	case masked, s.Buffer.DType.Elem() != s.Value.DType().Elem():
		m.other = true
	case isMaximum(s.Value), isNumber(s.Value):
	case !watchable(s.Value):
		m.other = true
	default:
		m.values = append(m.values, turnValue{s.Value, times * r.registers(s.Value.DType())})
	}
}

// load reads a load.
func (r *turnReader) load(e *tir.BufferLoad) {
	m := r.of(e.Buffer.Data)
	if m.first == 0 {
		m.first = r.at
	}
	elements, ok := constantElements(e.Buffer, e.Indices)
	if !ok {
		m.between = true
	}
	if m.between {
		m.stale = m.stale || m.last >= m.first
		return
	}
	for _, i := range elements {
		m.stale = m.stale || !m.wrote[i]
	}
}

// expr reads an expression.
func (r *turnReader) expr(e tir.Expr, times float64) {
	switch e := e.(type) {
	case *tir.BufferLoad:
		for _, i := range e.Indices {
			r.place(i)
		}
		if e.Predicate != nil {
			r.place(e.Predicate)
		}
		r.load(e)
		return
	case *tir.Binary:
		switch {
		case isMaximum(e):
			r.maxima += times * r.registers(e.DType())
			r.operand(e.A, times)
			r.operand(e.B, times)
		case e.DType().IsFloat():
			r.others += times * r.registers(e.DType())
		}
	case *tir.Call:
		r.refused = r.refused || tir.CallEffect(e) != tir.Pure
		if e.DType().IsFloat() {
			r.others += times * r.registers(e.DType())
		}
	case *tir.Let, *tir.Reduce, *tir.ProducerLoad:
		r.refused = true
		return
	}
	e.EachChild(func(n ir.Node) {
		if x, ok := n.(tir.Expr); ok {
			r.expr(x, times)
		}
	})
}

// place reads an expression that says where something happens, or how often: that must not be data, which the first run may have wrong.
func (r *turnReader) place(e tir.Expr) {
	ir.Walk(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.BufferLoad:
			r.refused = true
		case *tir.Call:
			r.refused = r.refused || tir.CallEffect(n) != tir.Pure
		case *tir.Let:
			r.refused = true
		}
		return !r.refused
	})
}

// operand notes what goes into a maximum.
func (r *turnReader) operand(e tir.Expr, times float64) {
	if isMaximum(e) || isNumber(e) {
		return
	}
	if load, ok := e.(*tir.BufferLoad); ok {
		r.of(load.Buffer.Data).read = true
	}
	r.refused = r.refused || !watchable(e)
	r.operands = append(r.operands, turnValue{e, times * r.registers(e.DType())})
}

// registers is how many registers hold a value.
func (r *turnReader) registers(d dtype.DType) float64 {
	if n := r.native(d); d.Lanes > 1 && n > 0 {
		return float64(int(d.Lanes) / n)
	}
	return float64(d.Lanes)
}

// isMaximum reports whether e is a maximum of vectors of floats.
func isMaximum(e tir.Expr) bool {
	b, ok := e.(*tir.Binary)
	return ok && b.Op == tir.OpMax && watchable(e)
}

// isNumber reports whether e is a constant, and not NaN.
func isNumber(e tir.Expr) bool {
	if b, ok := e.(*tir.Broadcast); ok {
		e = b.Value
	}
	c, ok := e.(*tir.FloatImm)
	return ok && c.Value == c.Value
}

// watchable reports whether e is a vector of floats of which squares are added up.
func watchable(e tir.Expr) bool {
	d := e.DType()
	return d.Lanes > 1 && (d.Elem() == dtype.Float32T || d.Elem() == dtype.Float64T)
}
